/** What a plan has reached: the sites where nothing more would be bought, and the currencies of which a budget is used up. As in a run. */
import type { Budget } from "../../budget/budget.ts";
import { isSpentOut } from "../../budget/covering-budgets.ts";
import type { LimitReason } from "../../budget/limits.ts";
import type { SiteLimits } from "../../budget/site-limits.ts";
import type { Currency, Money } from "../../money/money.ts";
import type { StageDeps } from "../stage-deps.ts";

export interface PlanStops {
  /** Why nothing more would be bought on the site, not even free pages. Null while buying goes on. */
  of(host: string): LimitReason | null;
  /** The currencies in which a budget of the site is used up, with its label. */
  exhausted(host: string): ReadonlyMap<Currency, string>;
  /** Notes what a run would do about the limits that a batch of the site reached. */
  note(host: string, limits: Pick<SiteLimits, "spent" | "reached">): void;
}

export function createPlanStops(
  hosts: readonly string[],
  maxSpend: Money | null,
  { sites: settings, budgets }: Pick<StageDeps, "sites" | "budgets">,
  onExhausted: (budget: Budget) => void,
): PlanStops {
  const stopped = new Map<string, LimitReason>();
  const exhausted = new Map(hosts.map((host) => [host, new Map<Currency, string>()]));

  function stop(host: string, reason: LimitReason): void {
    if (!stopped.has(host)) {
      stopped.set(host, reason);
    }
  }

  return {
    of: (host) => stopped.get(host) ?? null,
    exhausted: (host) => exhausted.get(host) ?? new Map(),
    note(host, limits) {
      for (const { budget, currency, label, covers } of limits.spent()) {
        onExhausted(budget);
        for (const covered of covers === "run" ? hosts : [host]) {
          const used = exhausted.get(covered)?.set(currency, label) ?? new Map();
          const isIndexed = settings.get(covered)?.policy.policy.intent === "indexing";
          if (!isIndexed && isSpentOut(used, { budgets, host: covered, onlyCurrency: maxSpend?.currency ?? null })) {
            stop(covered, "budget_exhausted");
          }
        }
      }
      const reached = limits.reached();
      for (const covered of reached === null ? [] : reached.covers === "run" ? hosts : [host]) {
        stop(covered, reached?.reason ?? "max_pages");
      }
    },
  };
}
