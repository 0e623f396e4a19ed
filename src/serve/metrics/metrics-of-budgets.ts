/** Money, in micros of its own currency as everywhere in licet: exact, and never added over currencies. */
import type { Budget } from "../../budget/budget.ts";
import { headroom } from "../../budget/headroom.ts";
import { scopeKey } from "../../budget/scope.ts";
import type { LedgerFigures } from "../../ledger/ledger-figures.ts";
import type { MetricsDeps } from "./figures-cache.ts";
import { addCounter, addGauge } from "./sampled-metrics.ts";

type BudgetFigure = LedgerFigures["budgets"][number];

export function addBudgetMetrics({ registry, figures, context }: MetricsDeps): void {
  const labelNames = ["budget", "currency"] as const;

  addGauge(registry, {
    name: "licet_budget_limit_micros",
    help: "The limit of a budget, in micros of its currency.",
    labelNames,
    sample: () => context.config.budgets.map((budget) => ({ labels: toLabels(budget), value: budget.limitMicros })),
  });
  const amounts: readonly [name: string, help: string, read: (figure: BudgetFigure) => number][] = [
    [
      "settled",
      "What was charged under a budget in its present period, fees included",
      ({ balance }) => balance.settledMicros,
    ],
    ["in_doubt", "What may have been charged under a budget", ({ balance }) => balance.inDoubtMicros],
    ["reserved", "What is set aside under a budget for pages under way", ({ balance }) => balance.reservedMicros],
    [
      "headroom",
      "What is left of a budget in its present period. Negative: it is exceeded",
      ({ budget, balance }) => headroom(budget, balance),
    ],
  ];
  for (const [name, help, read] of amounts) {
    addGauge(registry, {
      name: `licet_budget_${name}_micros`,
      help: `${help}, in micros of its currency. A budget of runs has none: each run has its own.`,
      labelNames,
      sample: () =>
        (figures.last()?.budgets ?? []).map((figure) => ({ labels: toLabels(figure.budget), value: read(figure) })),
    });
  }
  addGauge(registry, {
    name: "licet_budget_exhausted",
    help: "1: a page did not fit the budget in its present period, so nothing more is bought under it. Else 0.",
    labelNames,
    sample: () =>
      (figures.last()?.budgets ?? []).map(({ budget, isSpent }) => {
        return { labels: toLabels(budget), value: isSpent ? 1 : 0 };
      }),
  });
  addCounter(registry, {
    name: "licet_spend_micros_total",
    help: "What was ever charged on a site, fees included, in micros of the currency.",
    labelNames: ["site", "currency"],
    sample: () =>
      (figures.last()?.spend ?? []).map(({ host, currency, settledMicros }) => {
        return { labels: { site: host, currency }, value: settledMicros };
      }),
  });
}

/** `all per month`: as in messages, without the currency, which is a label of its own. */
function toLabels({ scope, period, currency }: Budget): { readonly budget: string; readonly currency: string } {
  return { budget: `${scopeKey(scope)}${period === "total" ? "" : ` per ${period}`}`, currency };
}
