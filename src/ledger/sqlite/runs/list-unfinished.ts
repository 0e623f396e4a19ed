import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createUnfinishedRuns } from "./unfinished-runs.ts";

/** Reads: run, run_site, batch, purchase. */
export function createListUnfinished(core: LedgerCore): Ledger["listUnfinished"] {
  const list = createUnfinishedRuns(core.db);
  return (query) => core.read(() => list(query).map(({ id: _id, takenOverBy: _takenOverBy, ...run }) => run));
}
