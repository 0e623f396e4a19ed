import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Reads: run, by its index of the unfinished ones. */
export function createFindUnfinishedRun(core: LedgerCore): Ledger["findUnfinishedRun"] {
  const select = core.db
    .prepare<[], string>(
      "SELECT name FROM run WHERE kind = 'run' AND state IN ('running', 'interrupted', 'failed') ORDER BY id DESC LIMIT 1",
    )
    .pluck();
  return () => core.read(() => select.get() ?? null);
}
