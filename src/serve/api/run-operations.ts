/** Runs as the ledger has them: the list, and the details of one. */
import { z } from "zod";
import { PURCHASE_STATE_FILTERS } from "../../agent/reports/runs-report.ts";
import { RUN_STATE_FILTERS } from "../../ledger/run-reports.ts";
import { type Operation, reads } from "./operation.ts";
import { hostSchema, limitSchema, runParams } from "./request-parts.ts";

const MAX_ROWS = 1_000;

export const runOperations: readonly Operation[] = [
  reads("/runs", {
    id: "listRuns",
    summary: "The runs, the newest first",
    asks: {
      querystring: z.strictObject({
        limit: limitSchema(MAX_ROWS, 20),
        site: hostSchema.optional(),
        state: z.enum(RUN_STATE_FILTERS).optional(),
      }),
    },
    answer: "RunList",
    work:
      ({ agent }) =>
      ({ querystring }) =>
        agent.runs(querystring),
  }),
  reads("/runs/:id", {
    id: "getRun",
    summary: "What a run bought and denied, and what each site cost",
    asks: {
      params: runParams,
      querystring: z.strictObject({
        limit: limitSchema(MAX_ROWS, 100),
        site: hostSchema.optional(),
        license: z.string().min(1).optional(),
        state: z.enum(PURCHASE_STATE_FILTERS).optional(),
      }),
    },
    answer: "RunDetails",
    work:
      ({ agent }) =>
      ({ params, querystring }) =>
        agent.runDetails(params.id, querystring),
  }),
  reads("/runs/:id/report", {
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
