/** Checks of values that several calls take. */
import type { Check } from "../../check-options.ts";
import { isLicetError } from "../../errors.ts";
import { type MoneyInput, money } from "../../money/money-input.ts";
import { parseDuration } from "../../time/duration.ts";

export const isMoney: Check = (value) => {
  const failure = failureOf(() => money(value as MoneyInput));
  return failure === null
    ? null
    : `must be an amount of money (like "12.50 USD", or {micros, currency} with a whole number): ${failure}`;
};

export const isDuration =
  (example: string): Check =>
  (value) =>
    typeof value === "string" && failureOf(() => parseDuration(value)) === null
      ? null
      : `must be a duration, such as "${example}"`;

function failureOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return isLicetError(error, "MONEY_INVALID") ? error.details.reason : String(error);
  }
}
