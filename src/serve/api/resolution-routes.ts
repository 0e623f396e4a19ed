/** A person's word: open items, purchases in doubt, reports to reconcile. And the order to report now. */
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ServiceContext } from "../service-part.ts";
import { PROBLEM_RESPONSES, rowParams } from "./api-schemas.ts";
import { createGate } from "./gate.ts";
import {
  closedItemSchema,
  flushReportSchema,
  resolvedPurchaseSchema,
  resolvedReportSchema,
} from "./schemas/open-item-schema.ts";

export function resolutionRoutes({ agent, stopping: signal }: ServiceContext): FastifyPluginAsyncZod {
  const reporting = createGate("reports of uses", 1);
  return async (app) => {
    app.post(
      "/open-items/:id/close",
      {
        schema: {
          operationId: "closeOpenItem",
          summary: "A person has checked the item. A site that it stopped may be bought from again",
          params: rowParams("The item's `id`."),
          response: { 200: closedItemSchema, ...PROBLEM_RESPONSES },
        },
      },
      async ({ params }) => ({ ...(await agent.closeItem(params.id)), state: "closed" as const }),
    );

    app.post(
      "/purchases/:id/resolve",
      {
        schema: {
          operationId: "resolvePurchase",
          summary: "Settles a purchase in doubt (charged) or releases it (not charged)",
          params: rowParams("The `purchaseId`."),
          body: z.strictObject({
            charged: z.boolean().describe("Whether the gateway charged it."),
            keepOff: z.boolean().default(false).describe("Whether its page must not be bought again."),
          }),
          response: { 200: resolvedPurchaseSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ params, body: { charged, keepOff } }) => agent.resolve(params.id, charged, { keepOff }),
    );

    app.post(
      "/reports/:id/resolve",
      {
        schema: {
          operationId: "resolveReport",
          summary: "Settles a report to reconcile (taken), or sends it again (not taken)",
          params: rowParams("The report's `batchId`."),
          body: z.strictObject({ taken: z.boolean().describe("Whether the gateway has its uses.") }),
          response: { 200: resolvedReportSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ params, body }) => agent.resolveReport(params.id, body.taken),
    );

    app.post(
      "/report",
      {
        schema: {
          operationId: "reportNow",
          summary: "Reports uses that are not reported yet",
          body: z
            .strictObject({
              retryRejected: z.boolean().default(false).describe("Whether rejected uses are sent again."),
            })
            .prefault({}),
          response: { 200: flushReportSchema, ...PROBLEM_RESPONSES },
        },
      },
      ({ body: { retryRejected } }) => reporting(() => agent.report({ retryRejected, signal })),
    );
  };
}
