/** The calls that buy pages, and that record and report their uses. */
import { misused, show } from "../../check-options.ts";
import type { Money } from "../../money/money.ts";
import { money } from "../../money/money-input.ts";
import type { UseInput } from "../agent.ts";
import { takeFetchedUrls, takeFetchOptions } from "../fetch/fetch-checks.ts";
import { type OpenableList, toOpenableList } from "../lists/list-input.ts";
import { takePlanOptions } from "../plans/check-plan-options.ts";
import { planAgent } from "../plans/plan-agent.ts";
import { cancelAgent } from "../runs/cancel-agent.ts";
import { runAgent } from "../runs/run-agent.ts";
import type { RunOptions } from "../runs/run-options.ts";
import { reportAgent } from "../usage/report-agent.ts";
import { useAgent } from "../usage/use-agent.ts";
import { acts, argument, fields, isList, options, reads, type Take, withResources } from "./call.ts";
import { ofProgram, runId, text } from "./fields.ts";

/** RunOptions with `maxSpend` parsed, and a list that can be opened. */
export interface RunCall extends Omit<RunOptions, "maxSpend" | "list"> {
  readonly maxSpend?: Money | undefined;
  readonly list?: OpenableList | undefined;
}

const takeOptions = options("run");

const takeRunOptions: Take<RunCall> = (name, given) => {
  const { maxSpend, list, ...rest } = takeOptions(name, given);
  if (rest.planContent !== undefined && rest.plan === undefined) {
    throw misused(
      name,
      "planContent says what a plan must say, and no plan is given",
      "agent.run({ plan, planContent })",
    );
  }
  return {
    ...rest,
    maxSpend: maxSpend === undefined ? undefined : money(maxSpend),
    list: list === undefined ? undefined : toOpenableList("run", list),
  };
};

/**
 * Only types are checked here, because a wrong type is a programming error. Values are checked one by one when they are recorded,
 * and refused with a reason.
 */
const takeUse = fields<UseInput>({
  url: text,
  times: ofProgram((value) => (typeof value === "number" ? null : "must be a number")),
  usedAt: ofProgram((value) =>
    typeof value === "string" || typeof value === "number" ? null : "must be an ISO 8601 date or epoch milliseconds",
  ),
  key: text,
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
  plan: reads([takePlanOptions], ({ resources, bus }, asked) => planAgent(resources, bus, asked)),
  run: acts([takeRunOptions], ({ resources, bus, alerting, alone }, asked) =>
    alone(() => alerting.aroundRun(() => runAgent(resources, bus, asked))),
  ),
  fetch: acts([takeFetchedUrls, takeFetchOptions], async ({ resources, bus, underWay }, urls, asked) => {
    const { fetchAgent } = await import("../fetch/fetch-agent.ts");
    return fetchAgent({ resources, bus, underWay }, urls, asked);
  }),
  cancel: acts([argument<string>("runId", runId), options("cancel")], ({ resources, bus }, runId, asked) =>
    cancelAgent(resources, bus, runId, asked),
  ),
  use: acts([takeUses, options("use")], withResources(useAgent)),
  report: acts(
    [options("report")],
    ({ resources, bus, alerting }, { signal = new AbortController().signal, ...asked }) =>
      alerting.around(() => reportAgent(resources, bus, signal, asked)),
  ),
};
