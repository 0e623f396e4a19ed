/** The options of `agent.plan`, checked at run time. */
import { type Check, isCount, isFunction, isOneOf, isSignal, isText, isTexts, misused } from "../../check-options.ts";
import { isLicetError } from "../../errors.ts";
import { RUN_ORDERS } from "../../policy/rule.ts";
import { parseDuration } from "../../time/duration.ts";
import { options, type Take } from "../calls/call.ts";
import { LONGEST_EXPIRY, MAX_NAMED_PAGES, type PlanOptions } from "./plan-report.ts";

/** PlanOptions with `expires` in ms. */
export interface PlanCall extends Omit<PlanOptions, "expires"> {
  readonly expiresMs?: number;
}

const isExpiry: Check = (value) => {
  const ms = typeof value === "string" ? readDuration(value) : 0;
  return ms >= 1 && ms <= parseDuration(LONGEST_EXPIRY)
    ? null
    : `must be a duration up to ${LONGEST_EXPIRY}, such as "24h"`;
};

export const takePlanOptions: Take<PlanCall> = (call, given) => {
  const { expires, ...rest } = options<PlanOptions>({
    hosts: isTexts,
    pages: (value) =>
      isCount(value) === null && (value as number) <= MAX_NAMED_PAGES
        ? null
        : `must be a whole number from 1 to ${MAX_NAMED_PAGES}`,
    order: isOneOf(RUN_ORDERS),
    out: isText,
    expires: isExpiry,
    onPage: isFunction,
    signal: isSignal,
  })(call, given);
  if (expires === undefined) {
    return rest;
  }
  if (rest.out === undefined) {
    throw misused(call, "expires says how long a saved plan counts, and out names no file for it", "Give out too.");
  }
  return { ...rest, expiresMs: parseDuration(expires) };
};

/** 0 for a text that is not a duration. */
function readDuration(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (isLicetError(error, "DURATION_INVALID")) {
      return 0;
    }
    throw error;
  }
}
