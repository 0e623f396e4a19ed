/** What stands about sites and days: spend, denials, prices. */
import { z } from "zod";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { type Operation, operation } from "./operation.ts";
import { inQuery, rows } from "./request-parts.ts";

const MAX_ROWS = 1_000;

export const siteOperations: readonly Operation[] = [
  operation("spend", "/spend", {
    id: "getSpend",
    summary: "What each of some UTC days cost, over all sites and by site, as budgets per day count it",
    asks: { querystring: z.strictObject(inQuery(INPUTS.spend)) },
    answer: "SpendReport",
    work:
      ({ agent }) =>
      ({ querystring }) =>
        agent.spend(querystring),
  }),
  operation("denials", "/denials", {
    id: "listDenials",
    summary: "Why pages were not bought, by reason and rule: of a run, a site, some days",
    asks: { querystring: z.strictObject({ ...inQuery(INPUTS.denials), limit: rows(MAX_ROWS, 50) }) },
    answer: "DenialsReport",
    work:
      ({ agent }) =>
      ({ querystring }) =>
        agent.denials(querystring),
  }),
];
