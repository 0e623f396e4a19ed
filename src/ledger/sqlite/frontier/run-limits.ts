/** The limits of a run as the transaction finds them (budget/limits.ts). Called within a write. */
import { createRunLimits, type RunLimits } from "../../../budget/limits.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { DecisionTerms } from "../../frontier-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createExhaustedCurrencies } from "../money/exhausted-currencies.ts";
import { quoteList } from "../runs/high-water.ts";

export interface RunTerms {
  readonly runRowId: number;
  /** The currency of the run's maxSpend, in which alone it buys; null when it has none. */
  readonly onlyCurrency: Currency | null;
  /** The pages come from notifications. */
  readonly isNotified: boolean;
}

interface RunRow {
  readonly maxPages: number | null;
  readonly approved: number;
  readonly maxSpendMicros: number | null;
  readonly maxSpendCurrency: string | null;
  readonly isNotified: number;
}

/** What was taken back is not in `approved` any more. */
const FAILED = `kind = 'released' AND reason NOT IN (${quoteList(TAKEN_BACK_REASONS)})`;

/** @returns a reader; with `passesOver`, a page that was approved and not bought leaves its place to the next best */
export function createLimitReader(
  parts: LedgerParts,
): (
  runRowId: number,
  terms: Pick<DecisionTerms, "budgets" | "now">,
  passesOver: boolean,
) => { readonly run: RunTerms; readonly limits: RunLimits } {
  const exhausted = createExhaustedCurrencies(parts);
  const selectRun = parts.db.prepare<[number], RunRow>(
    `SELECT max_pages AS maxPages, approved, max_spend_micros AS maxSpendMicros, max_spend_currency AS maxSpendCurrency,
       kind = 'webhook' AS isNotified
     FROM run WHERE id = ?`,
  );
  const selectSite = parts.db.prepare<[number, number], Pick<RunRow, "maxPages" | "approved">>(
    "SELECT max_pages AS maxPages, approved FROM run_site WHERE run_id = ? AND site_id = ?",
  );
  const countFailed = parts.db
    .prepare<[number], number>(`SELECT coalesce(sum(count), 0) FROM tally WHERE run_id = ? AND ${FAILED}`)
    .pluck();
  const countFailedOfSite = parts.db
    .prepare<[number, number], number>(
      `SELECT coalesce(sum(count), 0) FROM tally WHERE run_id = ? AND site_id = ? AND ${FAILED}`,
    )
    .pluck();
  return (runRowId, { budgets, now }, passesOver) => {
    const row = selectRun.get(runRowId) as RunRow;
    const { maxSpendMicros, maxSpendCurrency } = row;
    const limits = createRunLimits({
      readBalance: parts.balances.read,
      budgets,
      runId: parts.runs.nameOf(runRowId),
      now,
      runPagesLeft: pagesLeft(row, () => (passesOver ? countFailed.get(runRowId) : 0)),
      maxSpend:
        maxSpendMicros === null || maxSpendCurrency === null
          ? null
          : { micros: toMicros(maxSpendMicros), currency: maxSpendCurrency },
      readSite(host) {
        const siteId = parts.lookups.siteId(host);
        const site = selectSite.get(runRowId, siteId);
        return {
          pagesLeft:
            site === undefined ? 0 : pagesLeft(site, () => (passesOver ? countFailedOfSite.get(runRowId, siteId) : 0)),
          exhausted: exhausted.read(runRowId, siteId),
        };
      },
      passesOver,
    });
    return { run: { runRowId, onlyCurrency: maxSpendCurrency, isNotified: row.isNotified === 1 }, limits };
  };
}

function pagesLeft(
  { maxPages, approved }: Pick<RunRow, "maxPages" | "approved">,
  readFailed: () => number | undefined,
): number | null {
  return maxPages === null ? null : maxPages - approved + (readFailed() ?? 0);
}
