/** What stands about sites and days: spend, denials, prices. */
import { z } from "zod";
import { amountText, host } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { type Operation, operation } from "./operation.ts";
import { inQuery, rows } from "./request-parts.ts";

const MAX_ROWS = 1_000;
const MAX_SITES = 200;

export const siteOperations: readonly Operation[] = [
  operation("spend", "/spend", {
    id: "getSpend",
    summary: "What each of some UTC days cost, over all sites and by site, as budgets per day count it",
    asks: { querystring: z.strictObject(inQuery(INPUTS.spend)) },
    answer: "SpendReport",
    work: ({ agent }, { querystring }) => agent.spend(querystring),
  }),
  operation("sites", "/sites", {
    id: "listSites",
    summary: "The sites by host: state, stop, last run, stored pages, spend, next slot",
    asks: { querystring: z.strictObject({ ...inQuery(INPUTS.sites), limit: rows(MAX_SITES, 50) }) },
    answer: "SitesReport",
    work: ({ agent }, { querystring }) => agent.sites(querystring),
  }),
  operation("siteDetails", "/sites/:host", {
    id: "getSite",
    summary:
      "One site: the age of what is stored, 30 days of spend, prices, and what another maxPrice would have bought",
    asks: {
      params: z.strictObject({ host: host.schema.describe("The site's host.") }),
      querystring: z.strictObject({
        maxPrice: amountText.describe("What would this have bought, such as `0.02 USD`?").optional(),
      }),
    },
    answer: "SiteDetails",
    work: ({ agent }, { params, querystring }) => agent.siteDetails(params.host, querystring),
  }),
  operation("rights", "/rights", {
    id: "getRights",
    summary: "When the rights to stored pages end, day by day, and what happens then",
    asks: { querystring: z.strictObject(inQuery(INPUTS.rights)) },
    answer: "RightsCalendar",
    work: ({ agent }, { querystring }) => agent.rights(querystring),
  }),
  operation("denials", "/denials", {
    id: "listDenials",
    summary: "Why pages were not bought, by reason and rule: of a run, a site, some days",
    asks: { querystring: z.strictObject({ ...inQuery(INPUTS.denials), limit: rows(MAX_ROWS, 50) }) },
    answer: "DenialsReport",
    work: ({ agent }, { querystring }) => agent.denials(querystring),
  }),
];
