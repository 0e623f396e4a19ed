/** The calls that buy pages, and that record and report their uses. */
import {
  type Check,
  isCount,
  isFlag,
  isFunction,
  isObject,
  isOneOf,
  isSignal,
  isText,
  isTexts,
  misused,
  show,
} from "../../check-options.ts";
import type { Money } from "../../money/money.ts";
import { money } from "../../money/money-input.ts";
import { RUN_ORDERS } from "../../policy/rule.ts";
import type { ReportOptions, UseInput, UseOptions } from "../agent.ts";
import { takeFetchedUrls, takeFetchOptions } from "../fetch/fetch-checks.ts";
import { type OpenableList, toOpenableList } from "../lists/list-input.ts";
import { takePlanOptions } from "../plans/check-plan-options.ts";
import { planAgent } from "../plans/plan-agent.ts";
import { cancelAgent } from "../runs/cancel-agent.ts";
import { runAgent } from "../runs/run-agent.ts";
import type { RunOptions } from "../runs/run-options.ts";
import { reportAgent } from "../usage/report-agent.ts";
import { useAgent } from "../usage/use-agent.ts";
import { call, isList, options, type Take, text } from "./call.ts";
import { isMoney } from "./value-checks.ts";

/** RunOptions with `maxSpend` parsed, and a list that can be opened. */
export interface RunCall extends Omit<RunOptions, "maxSpend" | "list"> {
  readonly maxSpend?: Money | undefined;
  readonly list?: OpenableList | undefined;
}

const MAX_DOCUMENT_CALLS = 1024;
const isConcurrency: Check = (value) =>
  isCount(value) === null && (value as number) <= MAX_DOCUMENT_CALLS
    ? null
    : `must be a whole number from 1 to ${MAX_DOCUMENT_CALLS}`;

const takeRunOptions: Take<RunCall> = (name, given) => {
  const { maxSpend, list, ...rest } = options<RunOptions>({
    hosts: isTexts,
    resume: isText,
    fresh: isFlag,
    skipIfRunning: isFlag,
    trustClock: isFlag,
    plan: isText,
    list: (value) => (isObject(value) ? null : "must be a file or the pages themselves"),
    maxSpend: isMoney,
    order: isOneOf(RUN_ORDERS),
    maxPages: isCount,
    onDocument: isFunction,
    onDocumentConcurrency: isConcurrency,
    signal: isSignal,
  })(name, given);
  return {
    ...rest,
    maxSpend: maxSpend === undefined ? undefined : money(maxSpend),
    list: list === undefined ? undefined : toOpenableList(list),
  };
};

/**
 * Only types are checked here, because a wrong type is a programming error. Values are checked one by one when they are recorded,
 * and refused with a reason.
 */
const takeUse = options<UseInput>({
  url: isText,
  times: (value) => (typeof value === "number" ? null : "must be a number"),
  usedAt: (value) =>
    typeof value === "string" || typeof value === "number" ? null : "must be an ISO 8601 date or epoch milliseconds",
  key: isText,
});

/** @returns the uses; each use is checked when it is read */
const takeUses: Take<AsyncIterable<UseInput>> = (name, uses) => {
  if (!isList(uses)) {
    throw misused(name, `the uses must be a list, not ${show(uses)}`, 'agent.use([{ url: "https://…", times: 1 }])');
  }
  return (async function* checked() {
    for await (const use of uses) {
      const { url } = takeUse(name, use) as Partial<UseInput>;
      if (url === undefined) {
        throw misused(name, "a use must have a url", 'agent.use([{ url: "https://…", times: 1 }])');
      }
      yield use as UseInput;
    }
  })();
};

export const BUYING_CALLS = {
  plan: call([takePlanOptions], ({ resources, bus }, asked) => planAgent(resources, bus, asked)),
  run: call([takeRunOptions], ({ resources, bus, alerting, alone }, asked) =>
    alone(() => alerting.aroundRun(() => runAgent(resources, bus, asked))),
  ),
  fetch: call([takeFetchedUrls, takeFetchOptions], async ({ resources, bus, underWay }, urls, asked) => {
    const { fetchAgent } = await import("../fetch/fetch-agent.ts");
    return fetchAgent({ resources, bus, underWay }, urls, asked);
  }),
  cancel: call(
    [text("runId"), options<{ readonly signal?: AbortSignal }>({ signal: isSignal })],
    ({ resources, bus }, runId, { signal = new AbortController().signal }) =>
      cancelAgent(resources, bus, runId, signal),
  ),
  use: call([takeUses, options<UseOptions>({ overBudget: isFlag, dryRun: isFlag })], ({ resources }, uses, asked) =>
    useAgent(resources, uses, asked),
  ),
  report: call(
    [options<ReportOptions>({ signal: isSignal, retryRejected: isFlag })],
    ({ resources, bus, alerting }, { signal = new AbortController().signal, ...asked }) =>
      alerting.around(() => reportAgent(resources, bus, signal, asked)),
  ),
};
