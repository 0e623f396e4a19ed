/** A person's word: open items, purchases in doubt, reports to reconcile. And the order to report now. */
import { z } from "zod";
import { flag } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { createGate } from "./gate.ts";
import { type Operation, operation } from "./operation.ts";
import { inBody, rowParams } from "./request-parts.ts";

export const resolutionOperations: readonly Operation[] = [
  operation("closeItem", "/open-items/:id/close", {
    id: "closeOpenItem",
    summary: "A person has checked the item. A site that it stopped may be bought from again",
    asks: { params: rowParams("The item's `id`."), body: z.strictObject(inBody(INPUTS.closeItem)).prefault({}) },
    answer: "ClosedItem",
    work:
      ({ agent }) =>
      async ({ params, body, by }) => ({ ...(await agent.closeItem(params.id, { ...body, by })), state: "closed" }),
  }),
  operation("resolve", "/purchases/:id/resolve", {
    id: "resolvePurchase",
    summary: "Settles a purchase in doubt (charged) or releases it (not charged)",
    asks: {
      params: rowParams("The `purchaseId`."),
      body: z.strictObject({
        charged: flag.schema.describe("Whether the gateway charged it."),
        ...inBody(INPUTS.resolve),
      }),
    },
    answer: "ResolvedPurchase",
    work:
      ({ agent }) =>
      ({ params, body: { charged, ...word }, by }) =>
        agent.resolve(params.id, charged, { ...word, by }),
  }),
  operation("resolveReport", "/reports/:id/resolve", {
    id: "resolveReport",
    summary: "Settles a report to reconcile (taken), or sends it again (not taken)",
    asks: {
      params: rowParams("The report's `batchId`."),
      body: z.strictObject({
        taken: flag.schema.describe("Whether the gateway has its uses."),
        ...inBody(INPUTS.resolveReport),
      }),
    },
    answer: "ResolvedReport",
    work:
      ({ agent }) =>
      ({ params, body: { taken, ...word }, by }) =>
        agent.resolveReport(params.id, taken, { ...word, by }),
  }),
  operation("report", "/report", {
    id: "reportNow",
    summary: "Reports uses that are not reported yet",
    asks: {
      body: z.strictObject(inBody(INPUTS.report)).prefault({}),
    },
    answer: "FlushReport",
    work: ({ agent, stopping: signal }) => {
      const reporting = createGate("reports of uses", 1);
      return ({ body }) => reporting(() => agent.report({ ...body, signal }));
    },
  }),
];
