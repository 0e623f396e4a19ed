/** Runs as the ledger has them: the list, and the details of one. */
import { z } from "zod";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { type Operation, operation } from "./operation.ts";
import { inQuery, rows, runParams } from "./request-parts.ts";

const MAX_ROWS = 1_000;

export const runOperations: readonly Operation[] = [
  operation("runs", "/runs", {
    id: "listRuns",
    summary: "The runs, the newest first",
    asks: {
      querystring: z.strictObject({ ...inQuery(INPUTS.runs), limit: rows(MAX_ROWS, 20) }),
    },
    answer: "RunList",
    work:
      ({ agent }) =>
      ({ querystring }) =>
        agent.runs(querystring),
  }),
  operation("runDetails", "/runs/:id", {
    id: "getRun",
    summary: "What a run bought and denied, and what each site cost",
    asks: {
      params: runParams,
      querystring: z.strictObject({ ...inQuery(INPUTS.runDetails), limit: rows(MAX_ROWS, 100) }),
    },
    answer: "RunDetails",
    work:
      ({ agent }) =>
      ({ params, querystring }) =>
        agent.runDetails(params.id, querystring),
  }),
  operation("runFunnel", "/runs/:id/funnel", {
    id: "getRunFunnel",
    summary: "How far the pages of a run came, with the money of each step, and its configuration as it was",
    asks: { params: runParams },
    answer: "RunFunnel",
    work:
      ({ agent }) =>
      ({ params }) =>
        agent.runFunnel(params.id),
  }),
  operation("runStatus", "/runs/:id/report", {
    id: "getRunReport",
    summary: "The report of a run, as it is now: pages, denials, spend, uses",
    asks: { params: runParams },
    answer: "RunReport",
    work:
      ({ agent }) =>
      ({ params }) =>
        agent.runStatus(params.id),
  }),
];
