/** The options of `agent.plan`, checked at run time. */
import { misused } from "../../check-options.ts";
import type { Money } from "../../money/money.ts";
import { money } from "../../money/money-input.ts";
import { parseDuration } from "../../time/duration.ts";
import { options, type Take } from "../calls/call.ts";
import { type OpenableList, toOpenableList } from "../lists/list-input.ts";
import type { PlanOptions } from "./plan-report.ts";

/** PlanOptions with `expires` in ms, `maxSpend` parsed, and a list that can be opened. */
export interface PlanCall extends Omit<PlanOptions, "expires" | "maxSpend" | "list"> {
  readonly expiresMs?: number;
  readonly maxSpend?: Money | undefined;
  readonly list?: OpenableList | undefined;
}

const takeOptions = options("plan");

export const takePlanOptions: Take<PlanCall> = (call, given) => {
  const { expires, maxSpend, list, ...others } = takeOptions(call, given);
  const rest = {
    ...others,
    maxSpend: maxSpend === undefined ? undefined : money(maxSpend),
    list: list === undefined ? undefined : toOpenableList("plan", list),
  };
  if (expires === undefined) {
    return rest;
  }
  if (rest.out === undefined) {
    throw misused(call, "expires says how long a saved plan counts, and out names no file for it", "Give out too.");
  }
  return { ...rest, expiresMs: parseDuration(expires) };
};
