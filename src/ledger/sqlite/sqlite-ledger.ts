import type { Ledger } from "../ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";
import { type ReadTx, type Tx, toMethods } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { createReportsOnDemand, type LoadReports } from "./reports/reports-on-demand.ts";

/**
 * The port over one SQLite file: the table of operations, each run as its group says.
 * @param load how the reports are loaded; a simulation, where no time may pass for that, passes loaded ones
 */
export function createSqliteLedger(core: LedgerCore, load: LoadReports = OPERATIONS.reports): Ledger {
  const { writes, reads, inPieces } = OPERATIONS;
  return {
    ...toMethods<Tx, typeof writes>(writes, (operation, asked) => core.write(operation, ...asked)),
    ...toMethods<ReadTx, typeof reads>(reads, (operation, asked) => core.read(operation, ...asked)),
    ...toMethods<LedgerCore, typeof inPieces>(inPieces, (operation, asked) => operation(core, ...asked)),
    ...createReportsOnDemand(core, load),
    async close() {
      core.close();
      core.db.close();
    },
  };
}
