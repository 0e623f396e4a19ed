/**
 * The limits of a run as the transaction finds them (budget/limits.ts). What its predecessors have used counts too (run-chain.ts). Called within a
 * write.
 */

import { addBalances, type Balance } from "../../../budget/budget.ts";
import { type BalanceKeyInCurrency, nameRow } from "../../../budget/covering-budgets.ts";
import { type BuyingLimits, createBuyingLimits, type NoRoomPolicy } from "../../../budget/limits.ts";
import { assertBug } from "../../../errors.ts";
import { addMicros, ZERO_MICROS } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import { TAKEN_BACK_REASONS } from "../../../purchase/purchase.ts";
import type { DecisionTerms } from "../../frontier-ledger.ts";
import type { PlanBook } from "../../plan-book.ts";
import { readExhausted } from "../money/exhausted-currencies.ts";
import type { Tx } from "../operation.ts";
import { quoteList } from "../runs/high-water.ts";
import { readRunChain } from "../runs/run-chain.ts";
import { type LimitColumns, toOwnLimits } from "../runs/run-rows.ts";

export interface RunTerms {
  readonly runRowId: number;
  /** The currency of the run's maxSpend, in which alone it buys; null when it has none. */
  readonly onlyCurrency: Currency | null;
  /** The pages come from notifications. */
  readonly isNotified: boolean;
  /** When the run began, of a fetch. Null: it is not a fetch. */
  readonly fetchBegunAt: number | null;
  /** A plan in the making: nothing is reserved, and it has a book instead. */
  readonly isPlan: boolean;
}

interface LimitedRunRow extends LimitColumns, Approvals {
  readonly isPlan: number;
  readonly isNotified: number;
  readonly fetchBegunAt: number | null;
}

interface Approvals {
  readonly maxPages: number | null;
  readonly approved: number;
}

/** What was taken back is not in `approved` any more. */
const FAILED = `kind = 'released' AND reason NOT IN (${quoteList(TAKEN_BACK_REASONS)})`;

const SELECT_RUN = `SELECT max_pages AS maxPages, approved, max_spend_micros AS maxSpendMicros, max_spend_currency AS maxSpendCurrency,
    kind = 'webhook' AS isNotified, kind = 'planning' AS isPlan, iif(kind = 'fetch', started_at, NULL) AS fetchBegunAt
  FROM run WHERE id = ?`;

const SELECT_SITE = "SELECT max_pages AS maxPages, approved FROM run_site WHERE run_id = ? AND site_id = ?";

const COUNT_FAILED = `SELECT coalesce(sum(count), 0) FROM tally WHERE run_id = ? AND ${FAILED}`;

const COUNT_FAILED_OF_SITE = `SELECT coalesce(sum(count), 0) FROM tally WHERE run_id = ? AND site_id = ? AND ${FAILED}`;

/** A page that was approved and not bought leaves its place to the next one. */
export function readBuyingLimits(
  tx: Tx,
  runRowId: number,
  { budgets, now, book }: Pick<DecisionTerms, "budgets" | "now" | "book">,
  noRoom: NoRoomPolicy,
): { readonly run: RunTerms; readonly limits: BuyingLimits } {
  tx.counters.flush();
  const chain = readRunChain(tx, runRowId);
  const sumOf = (count: (id: number) => number | undefined) =>
    chain.reduce((total, { id }) => total + (count(id) ?? 0), 0);
  const row = tx.get<LimitedRunRow>(SELECT_RUN, runRowId) as LimitedRunRow;
  const { isNotified, isPlan, fetchBegunAt, approved: _, ...columns } = row;
  assertBug((isPlan === 1) === (book !== undefined), "a plan has a book, and no other run has");
  const { maxPages, maxSpend } = toOwnLimits(columns);
  const limits = createBuyingLimits({
    readBalance: book === undefined ? readChainBalance(tx.balances.read, chain) : readWithBook(tx.balances.read, book),
    budgets,
    runId: tx.runs.nameOf(runRowId),
    now,
    runPagesLeft: pagesLeft(maxPages, {
      approved: () => book?.approved ?? sumOf((id) => tx.get<LimitedRunRow>(SELECT_RUN, id)?.approved),
      failed: () => sumOf((id) => tx.value<number>(COUNT_FAILED, id)),
    }),
    maxSpend,
    readSite(host) {
      const siteId = tx.lookups.siteId(host);
      const site = tx.get<Approvals>(SELECT_SITE, runRowId, siteId);
      const planned = book?.sites.find((one) => one.host === host);
      return {
        pagesLeft:
          site === undefined
            ? 0
            : pagesLeft(site.maxPages, {
                approved: () =>
                  planned?.approved ?? sumOf((id) => tx.get<Approvals>(SELECT_SITE, id, siteId)?.approved),
                failed: () => sumOf((id) => tx.value<number>(COUNT_FAILED_OF_SITE, id, siteId)),
              }),
        exhausted:
          planned === undefined ? readExhausted(tx, runRowId, siteId) : new Map(Object.entries(planned.exhausted)),
        reached: planned?.reached ?? null,
      };
    },
    noRoom,
  });
  const onlyCurrency = maxSpend?.currency ?? null;
  return { run: { runRowId, onlyCurrency, isNotified: isNotified === 1, fetchBegunAt, isPlan: isPlan === 1 }, limits };
}

/** What counts in the ledger, and what the plan has set aside. */
function readWithBook(
  read: (key: BalanceKeyInCurrency) => Balance,
  { setAside }: PlanBook,
): (key: BalanceKeyInCurrency) => Balance {
  const planned = new Map(setAside.map(({ micros, ...key }) => [nameRow(key), micros]));
  return (key) => {
    const balance = read(key);
    const reservedMicros = addMicros(balance.reservedMicros, planned.get(nameRow(key)) ?? ZERO_MICROS);
    return { ...balance, reservedMicros };
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
