/** The seven promises and liveness at the end: faults are off, every run was resumed to its end, reports are flushed. */
import { endOneCharge } from "./3-one-charge.ts";
import { endNothingLost } from "./4-nothing-lost.ts";
import { endReportedOnce } from "./5-reported-once.ts";
import { endResumable } from "./6-resumable.ts";
import { endBalances } from "./balances.ts";
import type { EndState, Evidence, Violation } from "./evidence.ts";
import { historyOf } from "./history.ts";
import { prepareLedgerRows } from "./ledger-rows.ts";

/** To be called after the step checker has seen the last commit: it goes by what that one remembers of the same account. */
export function checkEnd(evidence: Evidence, end: EndState): Violation[] {
  const history = historyOf(evidence);
  const purchases = prepareLedgerRows(evidence.db).purchases.all();
  return [
    ...endBalances(evidence),
    ...endOneCharge(evidence, history, purchases),
    ...endNothingLost(evidence, history),
    ...endReportedOnce(evidence, history),
    ...endResumable(evidence, end),
  ];
}
