/** Runs as the ledger has them, and the saved plans that runs buy from: the list, and the details of one. */
import { z } from "zod";
import { planName } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { type Operation, operation } from "./operation.ts";
import { inQuery, rows, runParams } from "./request-parts.ts";

const MAX_ROWS = 1_000;
/** The first line of each is read. */
const MAX_PLANS = 200;

export const runOperations: readonly Operation[] = [
  operation("runs", "/runs", {
    id: "listRuns",
    summary: "The runs, the newest first",
    asks: {
      querystring: z.strictObject({ ...inQuery(INPUTS.runs), limit: rows(MAX_ROWS, 20) }),
    },
    answer: "RunList",
    work: ({ agent }, { querystring }) => agent.runs(querystring),
  }),
  operation("runDetails", "/runs/:id", {
    id: "getRun",
    summary: "What a run bought and denied, and what each site cost",
    asks: {
      params: runParams,
      querystring: z.strictObject({ ...inQuery(INPUTS.runDetails), limit: rows(MAX_ROWS, 100) }),
    },
    answer: "RunDetails",
    work: ({ agent }, { params, querystring }) => agent.runDetails(params.id, querystring),
  }),
  operation("runFunnel", "/runs/:id/funnel", {
    id: "getRunFunnel",
    summary: "How far the pages of a run came, with the money of each step, and its configuration as it was",
    asks: { params: runParams },
    answer: "RunFunnel",
    work: ({ agent }, { params }) => agent.runFunnel(params.id),
  }),
  operation("runStatus", "/runs/:id/report", {
    id: "getRunReport",
    summary: "The report of a run, as it is now: pages, denials, spend, uses",
    asks: { params: runParams },
    answer: "RunReport",
    work: ({ agent }, { params }) => agent.runStatus(params.id),
  }),
  operation("plans", "/plans", {
    id: "listPlans",
    summary:
      "The saved plans of `serve.plans` by name: cost, whether each can be bought now, and which runs buy from it",
    asks: { querystring: z.strictObject({ ...inQuery(INPUTS.plans), limit: rows(MAX_PLANS, 50) }) },
    answer: "PlanList",
    work: ({ agent }, { querystring }) => agent.plans(querystring),
  }),
  operation("planDetails", "/plans/:name", {
    id: "getPlan",
    summary: "One saved plan with its pages, and what it changes since another one, in money",
    asks: {
      params: z.strictObject({ name: planName.schema.describe("The plan's name.") }),
      querystring: z.strictObject({ ...inQuery(INPUTS.planDetails), limit: rows(MAX_ROWS, 50) }),
    },
    answer: "PlanDetails",
    work: ({ agent }, { params, querystring }) => agent.planDetails(params.name, querystring),
  }),
];
