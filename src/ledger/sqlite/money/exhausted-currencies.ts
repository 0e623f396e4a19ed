/**
 * The currencies in which a budget of a run's site is used up (run_site.exhausted). Pages priced in one of them are not reserved any more;
 * those in other currencies go on. A site that has no currency left to buy in is stopped. Called within a write. The budgets themselves are kept in
 * `spent_budget`.
 */

import type { Budget } from "../../../budget/budget.ts";
import { isSpentOut } from "../../../budget/covering-budgets.ts";
import type { SpentBudget } from "../../../budget/limits.ts";
import { budgetBalanceKey } from "../../../budget/scope.ts";
import type { Currency } from "../../../money/money.ts";
import type { ReadTx, Tx } from "../operation.ts";
import { stopSites } from "../runs/stop-site.ts";

export interface SpentNote {
  readonly runRowId: number;
  /** The site whose page did not fit. */
  readonly siteId: number;
  readonly spent: readonly SpentBudget[];
  readonly budgets: readonly Budget[];
  /** That of the run's maxSpend, in which alone it buys; null when it has none. */
  readonly onlyCurrency: Currency | null;
  /** Hosts of which nothing is bought: no budget covers what is only indexed. */
  readonly indexingHosts: readonly string[];
  readonly now: number;
}

/** Writes down which budgets are used up, and stops the sites that have nothing left. @returns whether the page's own site was */
export function noteExhausted(tx: Tx, note: SpentNote): boolean {
  let isOver = false;
  for (const by of note.spent) {
    keepSpent(tx, note, by);
    const covered =
      by.covers === "run"
        ? tx.values<number>`SELECT site_id FROM run_site WHERE run_id = ${note.runRowId} AND stop IS NULL ORDER BY position`
        : [note.siteId];
    for (const id of covered) {
      isOver = exhaust(tx, id, note, by) && id === note.siteId ? true : isOver;
    }
  }
  return isOver;
}

/** The label of the budget, by currency. */
export function readExhausted(tx: ReadTx, runRowId: number, siteId: number): Map<Currency, string> {
  return new Map(
    Object.entries(
      JSON.parse(
        tx.value<string>`SELECT exhausted FROM run_site WHERE run_id = ${runRowId} AND site_id = ${siteId}` ?? "{}",
      ) as Record<Currency, string>,
    ),
  );
}

/** @returns whether the site was stopped: it has no currency left */
function exhaust(
  tx: Tx,
  id: number,
  { runRowId, budgets, onlyCurrency, indexingHosts, now }: SpentNote,
  by: SpentBudget,
): boolean {
  const exhausted = readExhausted(tx, runRowId, id).set(by.currency, by.label);
  tx.run`UPDATE run_site SET exhausted = ${JSON.stringify(Object.fromEntries(exhausted))} WHERE run_id = ${runRowId} AND site_id = ${id}`;
  const host = tx.hosts.hostOf(id);
  const isOver = !indexingHosts.includes(host) && isSpentOut(exhausted, { budgets, host, onlyCurrency });
  if (isOver) {
    stopSites(tx, { runRowId, siteId: id, stop: "budget_exhausted", detail: by.label, now });
  }
  return isOver;
}

/** The first page that did not fit, for alerts: in its period, under its limit. */
function keepSpent(tx: Tx, { runRowId, siteId, now }: SpentNote, { budget, currency }: SpentBudget): void {
  const movement = { host: tx.hosts.hostOf(siteId), runId: tx.runs.nameOf(runRowId), at: now };
  const key = budgetBalanceKey(budget, movement);
  if (key !== null) {
    tx.run`INSERT INTO spent_budget (scope, period, currency, limit_micros, at)
      VALUES (${key.scope}, ${key.period}, ${currency}, ${budget.limitMicros}, ${now}) ON CONFLICT DO NOTHING`;
  }
}
