/** The limits of a run as the transaction finds them (budget/limits.ts). Called within a write. */
import { createRunLimits, type RunLimits } from "../../../budget/limits.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { DecisionTerms } from "../../frontier-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createExhaustedCurrencies } from "../money/exhausted-currencies.ts";

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
       key IS NOT NULL AS isNotified
     FROM run WHERE id = ?`,
  );
  const selectSite = parts.db.prepare<[number, number], Pick<RunRow, "maxPages" | "approved">>(
    "SELECT max_pages AS maxPages, approved FROM run_site WHERE run_id = ? AND site_id = ?",
  );
  return (runRowId, { budgets, now }, passesOver) => {
    const row = selectRun.get(runRowId) as RunRow;
    const { maxSpendMicros, maxSpendCurrency } = row;
    const limits = createRunLimits({
      readBalance: parts.balances.read,
      budgets,
      runId: parts.runs.nameOf(runRowId),
      now,
      runPagesLeft: pagesLeft(row),
      maxSpend:
        maxSpendMicros === null || maxSpendCurrency === null
          ? null
          : { micros: toMicros(maxSpendMicros), currency: maxSpendCurrency },
      readSite(host) {
        const siteId = parts.lookups.siteId(host);
        const site = selectSite.get(runRowId, siteId);
        return {
          pagesLeft: site === undefined ? 0 : pagesLeft(site),
          exhausted: exhausted.read(runRowId, siteId),
        };
      },
      passesOver,
    });
    return { run: { runRowId, onlyCurrency: maxSpendCurrency, isNotified: row.isNotified === 1 }, limits };
  };
}

function pagesLeft({ maxPages, approved }: Pick<RunRow, "maxPages" | "approved">): number | null {
  return maxPages === null ? null : maxPages - approved;
}
