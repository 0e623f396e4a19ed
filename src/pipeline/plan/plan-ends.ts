/**
 * What a plan has reached: the sites where nothing more would be bought, and the currencies of which a budget is used up. A run notes the same in
 * its rows (ledger/sqlite/money/exhausted-currencies.ts).
 */
import type { Budget } from "../../budget/budget.ts";
import type { ReachedLimit, SpentBudget } from "../../budget/limits.ts";
import type { PlanBookSite, PlanDecisions } from "../../ledger/plan-book.ts";
import type { RunSpec } from "../../ledger/run-ledger.ts";
import type { Currency } from "../../money/money.ts";

export interface PlanEnds {
  read(host: string): Pick<PlanBookSite, "exhausted" | "reached">;
  /** @returns the budgets that these decisions used up */
  note(decisions: Pick<PlanDecisions, "limits">): { readonly spent: readonly Budget[] };
}

interface SiteEnds {
  readonly exhausted: Map<Currency, string>;
  reached: ReachedLimit | null;
}

export function createPlanEnds({ sites }: Pick<RunSpec, "sites">): PlanEnds {
  const ends = new Map(sites.map(({ host }): [string, SiteEnds] => [host, { exhausted: new Map(), reached: null }]));
  const covered = (host: string, { covers }: ReachedLimit) =>
    [...ends].filter(([other]) => covers === "run" || other === host);

  /** A budget that is used up, on each site that it covers. */
  function exhaust(host: string, { budget: _, ...limit }: SpentBudget): void {
    for (const [, site] of covered(host, limit)) {
      site.exhausted.set(limit.currency, limit.label);
    }
  }

  return {
    read(host) {
      const { exhausted = new Map<Currency, string>(), reached = null } = ends.get(host) ?? {};
      return { exhausted: Object.fromEntries(exhausted), reached };
    },
    note({ limits }) {
      for (const { host, reached, spent } of limits) {
        for (const one of spent) {
          exhaust(host, one);
        }
        for (const [, site] of reached === null ? [] : covered(host, reached)) {
          site.reached ??= reached;
        }
      }
      return { spent: limits.flatMap(({ spent }) => spent.map(({ budget }) => budget)) };
    },
  };
}
