import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Reads: the first run. Plans are not counted: they leave nothing behind. */
export function createHasRuns({ db, read }: LedgerCore): Ledger["hasRuns"] {
  const select = db.prepare("SELECT 1 FROM run WHERE kind = 'run' ORDER BY id LIMIT 1");
  return () => read(() => select.get() !== undefined);
}
