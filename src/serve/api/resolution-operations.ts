/** A person's word: open items, purchases in doubt, reports to reconcile. And the order to report now. */
import { z } from "zod";
import { flag, host } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { type Operation, operation } from "./operation.ts";
import { inBody, rowParams } from "./request-parts.ts";

const hostParams = z.strictObject({ host: host.schema.describe("A site's host.") });

export const resolutionOperations: readonly Operation[] = [
  operation("closeItem", "/open-items/:id/close", {
    id: "closeOpenItem",
    summary: "A person has checked the item. A site that it stopped may be bought from again",
    asks: { params: rowParams("The item's `id`."), body: z.strictObject(inBody(INPUTS.closeItem)).prefault({}) },
    answer: "ClosedItem",
    work: async ({ agent }, { params, body, by }) => ({
      ...(await agent.closeItem(params.id, { ...body, by })),
      state: "closed",
    }),
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
    work: ({ agent }, { params, body: { charged, ...word }, by }) => agent.resolve(params.id, charged, { ...word, by }),
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
    work: ({ agent }, { params, body: { taken, ...word }, by }) =>
      agent.resolveReport(params.id, taken, { ...word, by }),
  }),
  operation("pauseSite", "/sites/:host/pause", {
    id: "pauseSite",
    summary: "Pauses a site: nothing of it is bought, by any run, until the pause ends",
    asks: { params: hostParams, body: z.strictObject(inBody(INPUTS.pauseSite)).prefault({}) },
    answer: "PauseReport",
    work: ({ agent }, { params, body, by }) => agent.pauseSite(params.host, { ...body, by }),
  }),
  operation("unpauseSite", "/sites/:host/unpause", {
    id: "unpauseSite",
    summary: "Ends the pause of a site: the next run buys from it again",
    asks: { params: hostParams, body: z.strictObject(inBody(INPUTS.unpauseSite)).prefault({}) },
    answer: "PauseReport",
    work: ({ agent }, { params, body, by }) => agent.unpauseSite(params.host, { ...body, by }),
  }),
  operation("acknowledgeAlert", "/alerts/:id/acknowledge", {
    id: "acknowledgeAlert",
    summary: "Writes down that somebody looks after an alert",
    asks: {
      params: rowParams("The alert's `alertId`."),
      body: z.strictObject(inBody(INPUTS.acknowledgeAlert)).prefault({}),
    },
    answer: "AcknowledgedAlert",
    work: ({ agent }, { params, body, by }) => agent.acknowledgeAlert(params.id, { ...body, by }),
  }),
  operation("report", "/report", {
    id: "reportNow",
    summary: "Reports uses that are not reported yet",
    asks: {
      body: z.strictObject(inBody(INPUTS.report)).prefault({}),
    },
    answer: "FlushReport",
    gate: { what: "reports of uses", atOnce: 1 },
    work: ({ agent, stopping: signal }, { body }) => agent.report({ ...body, signal }),
  }),
];
