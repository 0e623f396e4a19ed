/**
 * The audit: reads every row in one snapshot and names each promise of the design that the rows do not keep. It shares no
 * arithmetic with the operations that write them: balances and counts are summed anew in SQL, periods are named by SQLite's own
 * calendar, frozen bodies and listings are parsed, content is hashed again. One promise a file.
 *
 * No check compares two instants of the clock with each other: clocks step back, and an honest ledger must not look broken.
 */
import { messageOf } from "../../../errors.ts";
import type { AuditReport, Violation } from "../../ledger-reports.ts";
import type { OpenItem } from "../../usage-ledger.ts";
import type { Connection } from "../engine/connection.ts";
import { auditAskedFor } from "./asked-for.ts";
import { auditAtMostOneCharge } from "./at-most-one-charge.ts";
import type { Audited, AuditQuery } from "./audited.ts";
import { auditBalances } from "./balances.ts";
import { auditBookings } from "./bookings.ts";
import { auditCounts } from "./counts.ts";
import { auditDocuments } from "./documents.ts";
import { auditFrontier } from "./frontier.ts";
import { auditFrozenBodies } from "./frozen-bodies.ts";
import { auditHints } from "./hints.ts";
import { auditInheritedLimits } from "./inherited-limits.ts";
import { auditIntegrity } from "./integrity.ts";
import { auditLists } from "./lists.ts";
import { auditNoOverspend } from "./no-overspend.ts";
import { auditNothingLost } from "./nothing-lost.ts";
import { auditOpenItemDates } from "./open-item-dates.ts";
import { auditOpenItems } from "./open-items.ts";
import { auditPageAddresses } from "./page-addresses.ts";
import { auditReceipts } from "./receipts.ts";
import { type RecomputedBalance, recomputeBalances } from "./recompute-balances.ts";
import { auditRecordedReasons } from "./recorded-reasons.ts";
import { auditReportedOnce } from "./reported-once.ts";
import { auditResolutions } from "./resolutions.ts";
import { auditResumable } from "./resumable.ts";
import { auditStoredPages } from "./stored-pages.ts";
import { NO_TOTALS, sumTotals } from "./totals.ts";
import { auditUseTerms } from "./use-terms.ts";
import { auditWithinPolicy } from "./within-policy.ts";

/** Open items listed; the totals count all. */
const MAX_LISTED_ITEMS = 1_000;

const CHECKS: readonly (readonly [name: string, check: (audited: Audited) => Violation[]])[] = [
  ["the file", ({ db }) => auditIntegrity(db)],
  ["counts", ({ db }) => auditCounts(db)],
  ["addresses", ({ db }) => auditPageAddresses(db)],
  ["budgets", auditNoOverspend],
  ["balances", auditBalances],
  ["inherited limits", ({ db }) => auditInheritedLimits(db)],
  ["what was asked for", ({ db }) => auditAskedFor(db)],
  ["policies", ({ db }) => auditWithinPolicy(db)],
  ["lists", ({ db }) => auditLists(db)],
  ["charges", ({ db }) => auditAtMostOneCharge(db)],
  ["resolutions", ({ db }) => auditResolutions(db)],
  ["bookings", auditBookings],
  ["content", ({ db }) => auditNothingLost(db)],
  ["stored pages", ({ db }) => auditStoredPages(db)],
  ["documents for readers", ({ db }) => auditDocuments(db)],
  ["uses", ({ db }) => auditReportedOnce(db)],
  ["the terms of uses", ({ db }) => auditUseTerms(db)],
  ["frozen reports", ({ db }) => auditFrozenBodies(db)],
  ["receipts", ({ db }) => auditReceipts(db)],
  ["open items", ({ db }) => auditOpenItems(db)],
  ["the dates of open items", ({ db }) => auditOpenItemDates(db)],
  ["unfinished work", ({ db }) => auditResumable(db)],
  ["the frontier", ({ db }) => auditFrontier(db)],
  ["hints", ({ db }) => auditHints(db)],
  ["reasons", ({ db }) => auditRecordedReasons(db)],
];

/**
 * Reads only. Violations come in order of the checks; a damaged file ends in violations, not in an error.
 * @param selectOpenItems lists what is open; nothing is checked by it
 */
export function auditLedger(
  db: Connection,
  query: AuditQuery,
  selectOpenItems: (limit: number) => readonly OpenItem[],
): AuditReport {
  return db.transaction((): AuditReport => {
    const violations: Violation[] = [];
    function attempt<Result>(name: string, check: () => Result, otherwise: Result): Result {
      try {
        return check();
      } catch (error) {
        // What is damaged cannot be read: that is what the audit has to say, and the other checks may still say more.
        const message = messageOf(error);
        violations.push({ promise: 0, detail: `${name} cannot be checked: ${message}` });
        return otherwise;
      }
    }
    let balances: readonly RecomputedBalance[] | null = null;
    const audited: Audited = { db, query, sumBalances: () => (balances ??= recomputeBalances(db)) };
    for (const [name, check] of CHECKS) {
      violations.push(...attempt(name, () => check(audited), []));
    }
    const totals = attempt("the totals", () => sumTotals(db, audited.sumBalances()), NO_TOTALS);
    const openItems = attempt("the open items", () => selectOpenItems(MAX_LISTED_ITEMS), []);
    return { ok: violations.length === 0, violations, openItems, totals };
  })();
}
