/** Pages now: what a retrieval pipeline asks at question time. */
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import { MAX_FETCHED_URLS } from "../../agent/fetch/fetch-report.ts";
import { money } from "../../money/money-input.ts";
import type { ServiceContext } from "../service-part.ts";
import { PROBLEM_RESPONSES } from "./api-schemas.ts";
import { createGate } from "./gate.ts";
import { fetchReportSchema } from "./schemas/fetch-schema.ts";
import { amountSchema } from "./schemas/money-schema.ts";

/** Calls at once. Each may hold the texts of its pages in memory. */
const FETCHES_AT_ONCE = 64;
const MAX_URL_CHARS = 4_096;

const fetchBody = z.strictObject({
  urls: z.array(z.string().min(1).max(MAX_URL_CHARS)).min(1).max(MAX_FETCHED_URLS),
  maxPrice: amountSchema.optional().describe("No page may cost more, its fee included."),
  maxSpend: amountSchema.optional().describe("This request buys for no more in all."),
  heldOnly: z.boolean().optional().describe("Buys nothing, and asks the gateway nothing: only what is held."),
  deriveMarkdown: z.boolean().optional().describe("Derives missing Markdown from the HTML that was bought."),
});

export function fetchRoutes({ agent, stopping }: ServiceContext): FastifyPluginAsyncZod {
  const gate = createGate("fetches", FETCHES_AT_ONCE);
  return async (app) => {
    app.post(
      "/fetch",
      {
        schema: {
          operationId: "fetchPages",
          summary: "A few pages now: from the ledger where they are held, else bought under the same rules as in a run",
          body: fetchBody,
          response: { 200: fetchReportSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ body: { urls, maxPrice, maxSpend, heldOnly = false, deriveMarkdown = false } }) =>
        gate(() =>
          agent.fetch(urls, {
            heldOnly,
            deriveMarkdown,
            signal: stopping,
            ...(maxPrice === undefined ? {} : { maxPrice: money(maxPrice) }),
            ...(maxSpend === undefined ? {} : { maxSpend: money(maxSpend) }),
          }),
        ),
    );
  };
}
