import type { Ledger } from "../ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";

/** The port over one SQLite file: each method is a file in `operations/`. */
export function createSqliteLedger(core: LedgerCore): Ledger {
  const operations: Partial<Ledger> = {
    async close() {
      core.close();
      core.db.close();
    },
  };
  return operations as Ledger;
}
