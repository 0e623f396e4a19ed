/** The limits that a plan is made under. */
import { formatMoney } from "../../money/format-money.ts";
import type { OwnLimits } from "../../run/limits.ts";
import type { PlanCall } from "./check-plan-options.ts";

type CallerLimits = Pick<PlanCall, "maxPages" | "maxSpend">;

/** Those of the caller, as a run would have them. */
export function toRunLimits(configured: OwnLimits, { maxPages, maxSpend }: CallerLimits): OwnLimits {
  return { maxPages: maxPages ?? configured.maxPages, maxSpend: maxSpend ?? configured.maxSpend };
}

/** A limit of the configuration ends a run that buys the plan, unless the run is given a limit too. */
export function warnOfLooseLimits({ maxPages, maxSpend }: OwnLimits, own: CallerLimits): readonly string[] {
  const toBuy = (flag: string) => `to buy all of this plan, give licet run --plan ${flag} too`;
  return [
    ...(maxPages !== null && (own.maxPages ?? 0) > maxPages
      ? [`run.maxPages is ${maxPages}: ${toBuy("--max-pages")}`]
      : []),
    ...(maxSpend !== null &&
    own.maxSpend !== undefined &&
    (own.maxSpend.currency !== maxSpend.currency || own.maxSpend.micros > maxSpend.micros)
      ? [`run.maxSpend is ${formatMoney(maxSpend)}: ${toBuy("--max-spend")}`]
      : []),
  ];
}
