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
import { ACTS } from "./acts.ts";
import { ASKED_FOR } from "./asked-for.ts";
import { AT_MOST_ONE_CHARGE } from "./at-most-one-charge.ts";
import { type Audited, type AuditQuery, type Check, findViolations } from "./audited.ts";
import { BALANCES } from "./balances.ts";
import { BOOKING_SUMS } from "./booking-sums.ts";
import { BOOKINGS } from "./bookings.ts";
import { COUNTS } from "./counts.ts";
import { DOCUMENTS } from "./documents.ts";
import { FRONTIER } from "./frontier.ts";
import { FROZEN_BODIES } from "./frozen-bodies.ts";
import { HINTS } from "./hints.ts";
import { INHERITED_LIMITS } from "./inherited-limits.ts";
import { INTEGRITY } from "./integrity.ts";
import { LISTS } from "./lists.ts";
import { NO_OVERSPEND } from "./no-overspend.ts";
import { NOTHING_LOST } from "./nothing-lost.ts";
import { OPEN_ITEM_DATES } from "./open-item-dates.ts";
import { OPEN_ITEMS } from "./open-items.ts";
import { PAGE_ADDRESSES } from "./page-addresses.ts";
import { PLAIN_REPORTS } from "./plain-reports.ts";
import { RECEIPTS } from "./receipts.ts";
import { type RecomputedBalance, recomputeBalances } from "./recompute-balances.ts";
import { RECORDED_REASONS } from "./recorded-reasons.ts";
import { REPORTED_ONCE } from "./reported-once.ts";
import { RESOLUTIONS } from "./resolutions.ts";
import { RESUMABLE } from "./resumable.ts";
import { STORED_PAGES } from "./stored-pages.ts";
import { NO_TOTALS, sumTotals } from "./totals.ts";
import { USE_TERMS } from "./use-terms.ts";
import { WITHIN_POLICY } from "./within-policy.ts";

/** Open items listed; the totals count all. */
const MAX_LISTED_ITEMS = 1_000;

const CHECKS: readonly (readonly [name: string, checks: readonly Check[]])[] = [
  ["the file", INTEGRITY],
  ["counts", COUNTS],
  ["addresses", PAGE_ADDRESSES],
  ["budgets", NO_OVERSPEND],
  ["balances", BALANCES],
  ["inherited limits", INHERITED_LIMITS],
  ["what was asked for", ASKED_FOR],
  ["policies", WITHIN_POLICY],
  ["lists", LISTS],
  ["charges", AT_MOST_ONE_CHARGE],
  ["resolutions", RESOLUTIONS],
  ["acts", ACTS],
  ["bookings", BOOKINGS],
  ["sums of bookings", BOOKING_SUMS],
  ["content", NOTHING_LOST],
  ["stored pages", STORED_PAGES],
  ["documents for readers", DOCUMENTS],
  ["uses", REPORTED_ONCE],
  ["plain reports", PLAIN_REPORTS],
  ["the terms of uses", USE_TERMS],
  ["frozen reports", FROZEN_BODIES],
  ["receipts", RECEIPTS],
  ["open items", OPEN_ITEMS],
  ["the dates of open items", OPEN_ITEM_DATES],
  ["unfinished work", RESUMABLE],
  ["the frontier", FRONTIER],
  ["hints", HINTS],
  ["reasons", RECORDED_REASONS],
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
    for (const [name, checks] of CHECKS) {
      violations.push(...attempt(name, () => findViolations(audited, checks), []));
    }
    const totals = attempt("the totals", () => sumTotals(db, audited.sumBalances()), NO_TOTALS);
    const openItems = attempt("the open items", () => selectOpenItems(MAX_LISTED_ITEMS), []);
    return { ok: violations.length === 0, violations, openItems, totals };
  })();
}
