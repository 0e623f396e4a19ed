/**
 * The audit: reads every row in one snapshot and names each promise of the design that the rows do not keep. It shares no
 * arithmetic with the operations that write them: balances are summed anew in SQL, periods are named by SQLite's own
 * calendar, frozen bodies are parsed, content is hashed again. One promise a file.
 */
import type { AuditReport, LedgerReports, Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { auditAtMostOneCharge } from "./at-most-one-charge.ts";
import { auditBalances } from "./balances.ts";
import { auditFrozenBodies } from "./frozen-bodies.ts";
import { auditIntegrity } from "./integrity.ts";
import { auditNoOverspend } from "./no-overspend.ts";
import { auditNothingLost } from "./nothing-lost.ts";
import { auditReceipts } from "./receipts.ts";
import { recomputeBalances } from "./recompute-balances.ts";
import { auditRecordedReasons } from "./recorded-reasons.ts";
import { auditReportedOnce } from "./reported-once.ts";
import { auditResumable } from "./resumable.ts";
import { NO_TOTALS, sumTotals } from "./totals.ts";
import { auditWithinPolicy } from "./within-policy.ts";

export type AuditQuery = Parameters<LedgerReports["audit"]>[0];

const CHECKS: readonly (readonly [name: string, check: (db: Connection, query: AuditQuery) => Violation[]])[] = [
  ["the file", auditIntegrity],
  ["budgets", auditNoOverspend],
  ["balances", auditBalances],
  ["policies", auditWithinPolicy],
  ["charges", auditAtMostOneCharge],
  ["content", auditNothingLost],
  ["uses", auditReportedOnce],
  ["frozen reports", auditFrozenBodies],
  ["receipts", auditReceipts],
  ["unfinished work", auditResumable],
  ["reasons", auditRecordedReasons],
];

/** Reads only. Violations come in order of the checks; a damaged file ends in violations, not in an error. */
export function auditLedger(db: Connection, query: AuditQuery): AuditReport {
  return db.transaction((): AuditReport => {
    const violations: Violation[] = [];
    function attempt<Result>(name: string, check: () => Result, otherwise: Result): Result {
      try {
        return check();
      } catch (error) {
        // What is damaged cannot be read: that is what the audit has to say, and the other checks may still say more.
        const message = error instanceof Error ? error.message : String(error);
        violations.push({ promise: 0, detail: `${name} cannot be checked: ${message}` });
        return otherwise;
      }
    }
    for (const [name, check] of CHECKS) {
      violations.push(...attempt(name, () => check(db, query), []));
    }
    const totals = attempt("the totals", () => sumTotals(db, recomputeBalances(db)), NO_TOTALS);
    return { ok: violations.length === 0, violations, totals };
  })();
}
