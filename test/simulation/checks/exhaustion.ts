/** Whether money can have run out: computed from the rows, never from what licet says of it. */
import type { ScenarioBudget } from "../scenario.ts";
import type { EndState, Evidence } from "./evidence.ts";
import { prepareLedgerRows } from "./ledger-rows.ts";
import { countPurchase, countUse, placesOf, placesOfPurchase, placesOfUse, totalOf } from "./money.ts";
import type { Rate } from "./rates.ts";
import { newestOf } from "./settings.ts";
import { addAt, type Sums } from "./sums.ts";

export interface LastRun {
  readonly id: number;
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly hasLimit: number;
}

/**
 * Whether a budget that covers a host in one of these currencies can have been met in the last run: all that was ever set aside in
 * its period, with one more of the dearest pages, is above its limit. A budget with more room than that has stopped nothing.
 */
export function createExhaustion(
  evidence: Evidence,
  { catalog }: EndState,
  run: LastRun,
): (host: string, currencies: ReadonlySet<string>) => boolean {
  const rows = prepareLedgerRows(evidence.db);
  const everSetAside: Sums = new Map();
  for (const row of rows.purchases.all()) {
    if (row.currency !== null) {
      const micros = Math.max(row.quoted + row.fee + row.useReserve, totalOf(countPurchase(row)));
      addAt(everSetAside, placesOfPurchase(row), row.currency, micros);
    }
  }
  for (const row of rows.uses.all()) {
    addAt(everSetAside, placesOfUse(row), row.currency, totalOf(countUse(row)));
  }
  const listed = catalog.flatMap(({ url }): readonly Rate[] => evidence.account.rates.get(url)?.at(-1)?.rates ?? []);
  // A page whose fetch is charged again on its report sets its price aside twice.
  const dearest = 2 * Math.max(0, ...listed.map(({ micros }) => micros));
  const decided = rows.purchases
    .all()
    .filter(({ runId }) => runId === run.id)
    .map(({ reservedAt }) => reservedAt);
  return (host, currencies) => {
    const places = [run.startedAt, run.endedAt, ...decided].flatMap((at) => placesOf(host, run.name, at));
    const budgets = coveringBudgets(evidence, host).filter(({ currency }) => currencies.has(currency));
    return budgets.some(({ scope, per, limitMicros, currency }) => {
      const prefix = scope === "run" ? `run:${run.name} total` : `${scope} ${per ?? "total"}`;
      const limited = places.filter((place) => place.startsWith(prefix));
      return limited.some((place) => (everSetAside.get(`${place} ${currency}`) ?? 0) + dearest > limitMicros);
    });
  };
}

/** Of the budgets that the last run was started with. */
export function coveringBudgets(evidence: Evidence, host: string): readonly ScenarioBudget[] {
  return newestOf(evidence).budgets.filter(({ scope }) => !scope.startsWith("site:") || scope === `site:${host}`);
}
