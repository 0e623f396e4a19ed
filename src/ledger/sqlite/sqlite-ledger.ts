import type { Ledger } from "../ledger.ts";
import type { LedgerCore } from "./ledger-core.ts";
import type { InOne, InPieces, MethodsOf } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import { createReportsOnDemand, type LoadReports } from "./reports/reports-on-demand.ts";
import type { Tx } from "./tx.ts";

/**
 * The port over one SQLite file: the table of operations, each run as its group says.
 * @param load how the reports are loaded; a simulation, where no time may pass for that, passes loaded ones
 */
export function createSqliteLedger(core: LedgerCore, load: LoadReports = OPERATIONS.reports): Ledger {
  const { writes, reads, inPieces } = OPERATIONS;
  return {
    ...toMethods(writes, (operation, asked) => core.write(operation, ...asked)),
    ...toMethods(reads, (operation, asked) => core.read(operation, ...asked)),
    ...toMethods(inPieces, (operation, asked) => operation(core, ...asked)),
    ...createReportsOnDemand(core, load),
    async close() {
      core.close();
      core.db.close();
    },
  };
}

/** Of all operations of a group alike: the table itself was checked against the port. */
type Operation<First> = (first: First, ...asked: unknown[]) => unknown;

function toMethods<Table extends InOne | InPieces>(
  table: Table,
  run: (operation: Operation<Table extends InOne ? Tx : LedgerCore>, asked: readonly unknown[]) => unknown,
): MethodsOf<Table> {
  const operations = Object.entries(table) as [string, Operation<Table extends InOne ? Tx : LedgerCore>][];
  const methods = operations.map(([name, operation]) => [name, (...asked: unknown[]) => run(operation, asked)]);
  return Object.fromEntries(methods) as MethodsOf<Table>;
}
