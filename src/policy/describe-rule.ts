import { formatMoney } from "../money/format-money.ts";
import { formatDuration } from "../time/duration.ts";
import type { Rule } from "./rule.ts";

/** Writes a rule as one line, in the terms of the configuration: `allow license ON_DEMAND_LICENSE, maxPrice 0.01 USD`. */
export function describeRule({ effect, conditions, value }: Rule): string {
  const parts: string[] = [];
  const list = (name: string, values: readonly string[] | null) => {
    if (values !== null) {
      parts.push(`${name} ${values.join(" ")}`);
    }
  };
  list("license", conditions.license === null ? null : [conditions.license]);
  list("cuid", conditions.cuid);
  list("permissions", conditions.permissions);
  list("lacks", conditions.lacks);
  list("maxPrice", conditions.maxPrice === null ? null : [formatMoney(conditions.maxPrice)]);
  list("minPrice", conditions.minPrice === null ? null : [formatMoney(conditions.minPrice)]);
  list("currency", conditions.currency === null ? null : [conditions.currency]);
  list("urls", conditions.urls);
  list("modifiedWithin", conditions.modifiedWithinMs === null ? null : [formatDuration(conditions.modifiedWithinMs)]);
  const what = parts.length === 0 ? ["everything"] : parts;
  return `${effect} ${[...what, ...(value === null ? [] : [`value ${value}`])].join(", ")}`;
}
