/** Approve a saved plan: begins the run that buys from it. */
import { z } from "zod";
import { documentHash, planName } from "../../../agent/calls/fields.ts";
import { findPlanFile } from "../../../agent/plans/plan-directory.ts";
import { beginRun } from "../../api/run-begin.ts";
import { commandLine } from "../command-line.ts";
import { html } from "../html/html.ts";
import { address } from "../html/values.ts";
import { planFacts } from "../pages/plans.ts";
import { defineAction } from "./action.ts";
import { budgetsLeft } from "./run-actions.ts";

export const approvePlanAction = defineAction({
  path: "/plans/:name/approve",
  input: {
    params: z.strictObject({ name: planName.schema }),
    // What was shown when somebody chose to approve it.
    query: z.strictObject({ content: documentHash.schema }),
  },
  fields: z.strictObject({}),
  title: ({ params: { name } }) => `Approve plan ${name}`,
  button: "Approve and buy",
  command: ({ params: { name } }) => commandLine(["run"], { plan: name }),
  onceFor: ({ query: { content } }) => `plan ${content}`,
  read: async (reports, { params: { name } }) => ({
    details: await reports.planDetails(name, { limit: 1 }),
    budgets: (await reports.status()).budgets,
  }),
  idle: ({ details: { content, plan } }, { query }) =>
    content !== query.content
      ? "The file has changed since it was shown, so this approval is refused. Look at the plan as it is now."
      : plan.runs.length > 0
        ? "A run buys from it already. A plan is approved once."
        : plan.refused === null
          ? null
          : "It cannot be bought now.",
  body: ({ details, budgets }) => html`
<p>A run begins that buys these pages and no others, under these licences, each for no more than its price in the plan. Policies, budgets and prices of now
still decide: they can only make it buy less. Nothing is bought if the file changes before. A plan is approved once, and no page of it is bought twice.</p>
${planFacts(details)}${budgetsLeft(budgets)}`,
  work: async (context, { asked: { params, query }, acting }) => {
    const plan = await findPlanFile(context.resources.config, params.name);
    return beginRun(context, { hosts: [], options: { plan, planContent: query.content, ...acting } });
  },
  next: ({ params: { name } }, act) => (act?.runId == null ? address`/plans/${name}` : address`/runs/${act.runId}`),
});
