/** Pages now: what a retrieval pipeline asks at question time. */
import { z } from "zod";
import { MAX_FETCHED_URLS } from "../../agent/fetch/fetch-report.ts";
import { createGate } from "./gate.ts";
import { acts } from "./operation.ts";
import { amountSchema } from "./request-parts.ts";

/** Calls at once. Each may hold the texts of its pages in memory. */
const FETCHES_AT_ONCE = 64;
const MAX_URL_CHARS = 4_096;

export const fetchPages = acts("/fetch", {
  id: "fetchPages",
  summary: "A few pages now: from the ledger where they are held, else bought under the same rules as in a run",
  asks: {
    body: z.strictObject({
      urls: z.array(z.string().min(1).max(MAX_URL_CHARS)).min(1).max(MAX_FETCHED_URLS),
      maxPrice: amountSchema.optional(),
      maxSpend: amountSchema.optional(),
      storedOnly: z.boolean().optional(),
      deriveMarkdown: z.boolean().optional(),
    }),
  },
  answer: "FetchReport",
  work: ({ agent, stopping: signal }) => {
    const gate = createGate("fetches", FETCHES_AT_ONCE);
    return ({ body: { urls, ...options } }) => gate(() => agent.fetch(urls, { ...options, signal }));
  },
});
