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
import type { LedgerParts } from "../ledger-parts.ts";

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

export interface ExhaustedCurrencies {
  /** The label of the budget, by currency. */
  read(runRowId: number, siteId: number): Map<Currency, string>;
  /** Writes down which budgets are used up, and stops the sites that have nothing left. @returns whether the page's own site was */
  note(note: SpentNote): boolean;
}

export function createExhaustedCurrencies(parts: LedgerParts): ExhaustedCurrencies {
  const { db, stopSites } = parts;
  const select = db
    .prepare<[number, number], string>("SELECT exhausted FROM run_site WHERE run_id = ? AND site_id = ?")
    .pluck();
  const selectSites = db
    .prepare<[number], number>("SELECT site_id FROM run_site WHERE run_id = ? AND stop IS NULL ORDER BY position")
    .pluck();
  const update = db.prepare<[string, number, number]>(
    "UPDATE run_site SET exhausted = ? WHERE run_id = ? AND site_id = ?",
  );
  const noteSpent = db.prepare<[string, string, Currency, number, number]>(
    "INSERT INTO spent_budget (scope, period, currency, limit_micros, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const read = (runRowId: number, siteId: number) =>
    new Map(Object.entries(JSON.parse(select.get(runRowId, siteId) ?? "{}") as Record<Currency, string>));

  /** @returns whether the site was stopped: it has no currency left */
  function exhaust(
    id: number,
    { runRowId, budgets, onlyCurrency, indexingHosts, now }: SpentNote,
    by: SpentBudget,
  ): boolean {
    const exhausted = read(runRowId, id).set(by.currency, by.label);
    update.run(JSON.stringify(Object.fromEntries(exhausted)), runRowId, id);
    const host = parts.hosts.hostOf(id);
    const isOver = !indexingHosts.includes(host) && isSpentOut(exhausted, { budgets, host, onlyCurrency });
    if (isOver) {
      stopSites({ runRowId, siteId: id, stop: "budget_exhausted", detail: by.label, now });
    }
    return isOver;
  }

  /** The first page that did not fit, for alerts: in its period, under its limit. */
  function keepSpent({ runRowId, siteId, now }: SpentNote, { budget, currency }: SpentBudget): void {
    const movement = { host: parts.hosts.hostOf(siteId), runId: parts.runs.nameOf(runRowId), at: now };
    const key = budgetBalanceKey(budget, movement);
    if (key !== null) {
      noteSpent.run(key.scope, key.period, currency, budget.limitMicros, now);
    }
  }

  return {
    read,
    note(note) {
      let isOver = false;
      for (const by of note.spent) {
        keepSpent(note, by);
        const covered = by.covers === "run" ? selectSites.all(note.runRowId) : [note.siteId];
        for (const id of covered) {
          isOver = exhaust(id, note, by) && id === note.siteId ? true : isOver;
        }
      }
      return isOver;
    },
  };
}
