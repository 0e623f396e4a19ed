/** Reading for people: status, schedules, the conclusion about one page, open items. `licet audit` is not here: decision 0042. */
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { STATEMENT_GROUPINGS } from "../../statement/statement.ts";
import type { ServiceContext } from "../service-part.ts";
import { hostSchema, limitSchema, PROBLEM_RESPONSES } from "./api-schemas.ts";
import { createGate } from "./gate.ts";
import { explanationSchema } from "./schemas/explanation-schema.ts";
import { openItemListSchema } from "./schemas/open-item-schema.ts";
import { scheduleReportSchema } from "./schemas/schedule-schema.ts";
import { statementSchema } from "./schemas/statement-schema.ts";
import { statusSchema } from "./schemas/status-schema.ts";

/** Each asks the gateway for rates. Runs need its requests more. */
const EXPLAIN_AT_ONCE = 4;
const MAX_SLOTS = 100;
const MAX_URL_CHARS = 8_192;
const monthSchema = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, "a month, such as 2026-11");

const statusQuery = z.object({
  expiring: z
    .string()
    .regex(/^\d{1,6}(?:ms|s|m|h|d)$/, "a duration, such as 30d")
    .optional()
    .describe("Also the stored pages whose rights ended, or end within this duration, such as `30d`."),
});

export function statusRoutes({ agent, resources }: ServiceContext): FastifyPluginAsyncZod {
  const explaining = createGate("explanations of a page", EXPLAIN_AT_ONCE);
  return async (app) => {
    app.get(
      "/status",
      {
        schema: {
          operationId: "getStatus",
          summary: "Runs, budgets, spend, pending uses, purchases in doubt, open items",
          querystring: statusQuery,
          response: { 200: statusSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ query: { expiring } }) => agent.status(expiring === undefined ? {} : { expiring }),
    );

    app.get(
      "/schedule",
      {
        schema: {
          operationId: "getSchedule",
          summary: "The next slots of each schedule, and the last ones with what came of them",
          querystring: z.strictObject({
            limit: limitSchema(MAX_SLOTS, 5),
            site: hostSchema.optional().describe("Only the schedule of this site."),
          }),
          response: { 200: scheduleReportSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ query: { limit, site } }) => agent.schedule({ limit, ...(site === undefined ? {} : { site }) }),
    );

    app.get(
      "/statement",
      {
        schema: {
          operationId: "getStatement",
          summary: "What a month cost and used, for finance: charges, fees, uses, doubts and corrections",
          querystring: z.strictObject({
            month: monthSchema
              .optional()
              .describe("A calendar month in UTC, such as 2026-11; the one that ended last otherwise."),
            by: z.enum(STATEMENT_GROUPINGS).default("site").describe("What a line stands for."),
            site: hostSchema.optional().describe("Only this site."),
          }),
          response: { 200: statementSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ query: { month, by, site } }) =>
        agent.statement({ by, ...(month === undefined ? {} : { month }), ...(site === undefined ? {} : { site }) }),
    );

    app.get(
      "/explain",
      {
        schema: {
          operationId: "explainPage",
          summary: "Whether the next run would buy a page, and why",
          querystring: z.strictObject({ url: z.string().min(1).max(MAX_URL_CHARS).describe("The page.") }),
          response: { 200: explanationSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ query }) => explaining(() => agent.explain(query.url)),
    );

    app.get(
      "/open-items",
      {
        schema: {
          operationId: "listOpenItems",
          summary: "What a person has to check, the oldest first",
          response: { 200: openItemListSchema, ...PROBLEM_RESPONSES },
        },
      },
      async () => {
        const { openItems, totals } = await (await resources.ledger("read")).readStatus();
        return { openItems, total: totals.openItems };
      },
    );
  };
}
