/** Runs as the ledger has them: the list, and the details of one. */
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { PURCHASE_STATE_FILTERS } from "../../agent/reports/runs-report.ts";
import { RUN_STATE_FILTERS } from "../../ledger/run-reports.ts";
import type { ServiceContext } from "../service-part.ts";
import { hostSchema, limitSchema, PROBLEM_RESPONSES, runParams } from "./api-schemas.ts";
import { runDetailsSchema, runListSchema, runReportSchema } from "./schemas/run-schema.ts";

const MAX_ROWS = 1_000;

export function runRoutes({ agent }: ServiceContext): FastifyPluginAsyncZod {
  return async (app) => {
    app.get(
      "/runs",
      {
        schema: {
          operationId: "listRuns",
          summary: "The runs, the newest first",
          querystring: z.strictObject({
            limit: limitSchema(MAX_ROWS, 20),
            site: hostSchema.optional().describe("Only runs of this site."),
            state: z.enum(RUN_STATE_FILTERS).optional().describe("Only runs in this state."),
          }),
          response: { 200: runListSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ query }) => agent.runs(withoutUndefined(query)),
    );

    app.get(
      "/runs/:id",
      {
        schema: {
          operationId: "getRun",
          summary: "What a run bought and denied, and what each site cost",
          params: runParams,
          querystring: z.strictObject({
            limit: limitSchema(MAX_ROWS, 100),
            site: hostSchema.optional().describe("Only pages of this site."),
            license: z.string().min(1).optional().describe("Only pages under this licence: its type or its cuid."),
            state: z.enum(PURCHASE_STATE_FILTERS).optional().describe("Only pages in this state."),
          }),
          response: { 200: runDetailsSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ params, query }) => agent.runDetails(params.id, withoutUndefined(query)),
    );

    app.get(
      "/runs/:id/report",
      {
        schema: {
          operationId: "getRunReport",
          summary: "The report of a run, as it is now: pages, denials, spend, uses",
          params: runParams,
          response: { 200: runReportSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ params }) => agent.runStatus(params.id),
    );
  };
}

/** An optional value of a query that was not given is absent, as the calls of the agent want it. */
type Given<Query> = { [Key in keyof Query]: Exclude<Query[Key], undefined> };

function withoutUndefined<Query extends object>(query: Query): Given<Query> {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Given<Query>;
}
