/** A person's word: open items, purchases in doubt, reports to reconcile. And the order to report now. */
import { z } from "zod";
import { createGate } from "./gate.ts";
import { acts, type Operation } from "./operation.ts";
import { rowParams } from "./request-parts.ts";

export const resolutionOperations: readonly Operation[] = [
  acts("/open-items/:id/close", {
    id: "closeOpenItem",
    summary: "A person has checked the item. A site that it stopped may be bought from again",
    asks: { params: rowParams("The item's `id`.") },
    answer: "ClosedItem",
    work:
      ({ agent }) =>
      async ({ params }) => ({ ...(await agent.closeItem(params.id)), state: "closed" }),
  }),
  acts("/purchases/:id/resolve", {
    id: "resolvePurchase",
    summary: "Settles a purchase in doubt (charged) or releases it (not charged)",
    asks: {
      params: rowParams("The `purchaseId`."),
      body: z.strictObject({
        charged: z.boolean(),
        keepOff: z.boolean().default(false),
      }),
    },
    answer: "ResolvedPurchase",
    work:
      ({ agent }) =>
      ({ params, body: { charged, keepOff } }) =>
        agent.resolve(params.id, charged, { keepOff }),
  }),
  acts("/reports/:id/resolve", {
    id: "resolveReport",
    summary: "Settles a report to reconcile (taken), or sends it again (not taken)",
    asks: {
      params: rowParams("The report's `batchId`."),
      body: z.strictObject({ taken: z.boolean().describe("Whether the gateway has its uses.") }),
    },
    answer: "ResolvedReport",
    work:
      ({ agent }) =>
      ({ params, body }) =>
        agent.resolveReport(params.id, body.taken),
  }),
  acts("/report", {
    id: "reportNow",
    summary: "Reports uses that are not reported yet",
    asks: {
      body: z.strictObject({ retryRejected: z.boolean().default(false) }).prefault({}),
    },
    answer: "FlushReport",
    work: ({ agent, stopping: signal }) => {
      const reporting = createGate("reports of uses", 1);
      return ({ body }) => reporting(() => agent.report({ ...body, signal }));
    },
  }),
];
