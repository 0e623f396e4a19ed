/** The thread of a ledger: opens the file, and answers what the other side (start-thread.ts) asks. */
import { parentPort, workerData } from "node:worker_threads";
import { assertBug } from "../../../errors.ts";
import { systemClock } from "../../../time/clock.ts";
import { NEXT_TURN } from "../../gathering/gathering.ts";
import { answerCalls } from "../../messages/calls.ts";
import { toFailure } from "../../messages/failure.ts";
import { openSqliteLedger } from "../open.ts";
import { openSnapshotLedgers } from "./snapshot-ledger.ts";
import type { Opened, Opening } from "./start-thread.ts";
import { toChannel } from "./thread-channel.ts";

assertBug(parentPort !== null, "the ledger's thread was not started as a thread");
const tell = (opened: Opened) => parentPort?.postMessage(opened);
try {
  const { path, access, compress } = workerData as Opening;
  // The calls of a message have waited for each other already.
  const clock = { ...systemClock, ...NEXT_TURN };
  const ledger =
    access === "snapshots"
      ? await openSnapshotLedgers(path, clock)
      : await openSqliteLedger({ path, access, compress, clock });
  answerCalls(toChannel(parentPort), ledger);
  tell({ methods: Object.keys(ledger) });
} catch (error) {
  tell({ failure: toFailure(error) });
}
