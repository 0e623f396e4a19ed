/**
 * The limits of a run as the transaction finds them (budget/limits.ts). What its predecessors have used counts too (run-chain.ts). Called within a
 * write.
 */
import { addBalances, type Balance } from "../../../budget/budget.ts";
import type { BalanceKeyInCurrency } from "../../../budget/covering-budgets.ts";
import { createRunLimits, type RunLimits } from "../../../budget/limits.ts";
import type { Currency } from "../../../money/money.ts";
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { DecisionTerms } from "../../frontier-ledger.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { createExhaustedCurrencies } from "../money/exhausted-currencies.ts";
import { quoteList } from "../runs/high-water.ts";
import { type LimitColumns, toRunLimits } from "../runs/run-rows.ts";

export interface RunTerms {
  readonly runRowId: number;
  /** The currency of the run's maxSpend, in which alone it buys; null when it has none. */
  readonly onlyCurrency: Currency | null;
  /** The pages come from notifications. */
  readonly isNotified: boolean;
  /** When the run began, of a fetch. Null: it is not a fetch. */
  readonly fetchBegunAt: number | null;
}

interface RunRow extends LimitColumns, Approvals {
  readonly isNotified: number;
  readonly fetchBegunAt: number | null;
}

interface Approvals {
  readonly maxPages: number | null;
  readonly approved: number;
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
       kind = 'webhook' AS isNotified, iif(kind = 'fetch', started_at, NULL) AS fetchBegunAt
     FROM run WHERE id = ?`,
  );
  const selectSite = parts.db.prepare<[number, number], Approvals>(
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
    const chain = parts.runChain.read(runRowId);
    const sumOf = (count: (id: number) => number | undefined) =>
      chain.reduce((total, { id }) => total + (count(id) ?? 0), 0);
    const { isNotified, fetchBegunAt, approved: _, ...columns } = selectRun.get(runRowId) as RunRow;
    const { maxPages, maxSpend } = toRunLimits(columns);
    const limits = createRunLimits({
      readBalance: readChainBalance(parts.balances.read, chain),
      budgets,
      runId: parts.runs.nameOf(runRowId),
      now,
      runPagesLeft: pagesLeft(maxPages, {
        approved: () => sumOf((id) => selectRun.get(id)?.approved),
        failed: () => (passesOver ? sumOf((id) => countFailed.get(id)) : 0),
      }),
      maxSpend,
      readSite(host) {
        const siteId = parts.lookups.siteId(host);
        const site = selectSite.get(runRowId, siteId);
        return {
          pagesLeft:
            site === undefined
              ? 0
              : pagesLeft(site.maxPages, {
                  approved: () => sumOf((id) => selectSite.get(id, siteId)?.approved),
                  failed: () => (passesOver ? sumOf((id) => countFailedOfSite.get(id, siteId)) : 0),
                }),
          exhausted: exhausted.read(runRowId, siteId),
        };
      },
      passesOver,
    });
    const onlyCurrency = maxSpend?.currency ?? null;
    return { run: { runRowId, onlyCurrency, isNotified: isNotified === 1, fetchBegunAt }, limits };
  };
}

function pagesLeft(
  maxPages: number | null,
  used: { readonly approved: () => number; readonly failed: () => number },
): number | null {
  return maxPages === null ? null : maxPages - used.approved() + used.failed();
}

/** What counts against the limits of a run is what counts for all of its chain. */
function readChainBalance(
  read: (key: BalanceKeyInCurrency) => Balance,
  [run, ...predecessors]: readonly { readonly name: string }[],
): (key: BalanceKeyInCurrency) => Balance {
  return (key) =>
    run === undefined || key.scope !== `run:${run.name}`
      ? read(key)
      : predecessors.reduce((sum, { name }) => addBalances(sum, read({ ...key, scope: `run:${name}` })), read(key));
}
