/**
 * A ledger in a thread of its own, so that no wait for the disk stands between a socket and its answer. A crash of the thread is a crash
 * of the process: what it was doing is rolled back, as after a kill.
 */
import { assertBug } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import { type Opening, startThread } from "./start-thread.ts";

/** What a thread allocates is short-lived rows: a young generation of V8's default size is enough, and the command's is four times that. */
const YOUNG_GENERATION_MB = 16;

/** @throws LicetError as `openSqliteLedger` */
export async function openInThread(opening: Opening): Promise<Ledger> {
  const { ended, ledger } = await startThread(opening, "licet-ledger", {
    maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
  });
  let isClosed = false;
  const closed = ended.then((code) =>
    assertBug(isClosed, `the ledger's thread ended with ${code} before the ledger was closed`),
  );
  return {
    ...ledger,
    async close() {
      isClosed = true;
      await ledger.close();
      await closed;
    },
  };
}
