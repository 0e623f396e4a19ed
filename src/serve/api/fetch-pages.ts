/** Pages now: what a retrieval pipeline asks at question time. */
import { z } from "zod";
import { pageUrl } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { MAX_FETCHED_URLS } from "../../agent/fetch/fetch-report.ts";
import { operation } from "./operation.ts";
import { inBody } from "./request-parts.ts";

/** Calls at once. Each may hold the texts of its pages in memory. */
const FETCHES_AT_ONCE = 64;
const MAX_URL_CHARS = 4_096;

export const fetchPages = operation("fetch", "/fetch", {
  id: "fetchPages",
  summary: "A few pages now: from the ledger where they are held, else bought under the same rules as in a run",
  asks: {
    body: z.strictObject({
      urls: z.array(pageUrl.schema.max(MAX_URL_CHARS)).min(1).max(MAX_FETCHED_URLS),
      ...inBody(INPUTS.fetch),
    }),
  },
  answer: "FetchReport",
  gate: { what: "fetches", atOnce: FETCHES_AT_ONCE },
  work: ({ agent, stopping: signal }, { body: { urls, ...options } }) => agent.fetch(urls, { ...options, signal }),
});
