/** What stands about sites and days: spend, denials, prices. */
import { z } from "zod";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { type Operation, operation } from "./operation.ts";
import { inQuery } from "./request-parts.ts";

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
];
