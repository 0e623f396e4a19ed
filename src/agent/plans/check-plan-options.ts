/** The options of `agent.plan`, checked at run time. */
import { misused } from "../../check-options.ts";
import { parseDuration } from "../../time/duration.ts";
import { options, type Take } from "../calls/call.ts";
import type { PlanOptions } from "./plan-report.ts";

/** PlanOptions with `expires` in ms. */
export interface PlanCall extends Omit<PlanOptions, "expires"> {
  readonly expiresMs?: number;
}

const takeOptions = options("plan");

export const takePlanOptions: Take<PlanCall> = (call, given) => {
  const { expires, ...rest } = takeOptions(call, given);
  if (expires === undefined) {
    return rest;
  }
  if (rest.out === undefined) {
    throw misused(call, "expires says how long a saved plan counts, and out names no file for it", "Give out too.");
  }
  return { ...rest, expiresMs: parseDuration(expires) };
};
