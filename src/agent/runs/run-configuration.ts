/** The configuration that decides what runs buy, without secrets, as a run keeps it: what a plan compares, and the limits. */
import type { Budget } from "../../budget/budget.ts";
import { scopeKey } from "../../budget/scope.ts";
import type { Config } from "../../config/config.ts";
import { formatMoney } from "../../money/format-money.ts";
import { type PlanTerms, toPlanTerms } from "../../plan/plan-terms.ts";
import { formatDuration } from "../../time/duration.ts";

/** In the words of the configuration file. What is not set is absent. */
export interface RunConfiguration extends PlanTerms {
  readonly run: { readonly maxPages?: number; readonly maxSpend?: string; readonly maxDuration?: string };
  readonly budgets: readonly { readonly scope: string; readonly period: string; readonly limit: string }[];
}

const texts = new WeakMap<Config, string>();

/** The same text for the same configuration: it is made once. */
export function toConfigurationText(config: Config): string {
  const known = texts.get(config) ?? JSON.stringify(toRunConfiguration(config));
  texts.set(config, known);
  return known;
}

function toRunConfiguration(config: Config): RunConfiguration {
  const { maxPages, maxSpend, maxDurationMs, order } = config.run;
  const hosts = config.sites.map(({ host }) => host);
  return {
    ...toPlanTerms(config, hosts, order),
    run: {
      ...(maxPages === null ? {} : { maxPages }),
      ...(maxSpend === null ? {} : { maxSpend: formatMoney(maxSpend) }),
      ...(maxDurationMs === null ? {} : { maxDuration: formatDuration(maxDurationMs) }),
    },
    budgets: config.budgets.map(toBudgetTerms),
  };
}

function toBudgetTerms({ scope, period, currency, limitMicros }: Budget): RunConfiguration["budgets"][number] {
  return { scope: scopeKey(scope), period, limit: formatMoney({ micros: limitMicros, currency }) };
}
