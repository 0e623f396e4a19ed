/** Reading for people: status, schedules, the conclusion about one page, open items. `licet audit` is not here: decision 0042. */
import { z } from "zod";
import { pageUrl } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { type Operation, operation } from "./operation.ts";
import { inQuery, rowParams, rows } from "./request-parts.ts";

/** Each asks the gateway for rates. Runs need its requests more. */
const EXPLAIN_AT_ONCE = 4;
const MAX_SLOTS = 100;
const MAX_ACTS = 1_000;
const MAX_VERSIONS = 1_000;
const EVIDENCE_AT_ONCE = 4;

export const statusOperations: readonly Operation[] = [
  operation("status", "/status", {
    id: "getStatus",
    summary: "Runs, budgets, spend, pending uses, purchases in doubt, open items",
    asks: {
      querystring: z.object(inQuery(INPUTS.status)),
    },
    answer: "Status",
    work: ({ agent }, { querystring }) => agent.status(querystring),
  }),
  operation("schedule", "/schedule", {
    id: "getSchedule",
    summary: "The next slots of each schedule, and the last ones with what came of them",
    asks: {
      querystring: z.strictObject({ ...inQuery(INPUTS.schedule), limit: rows(MAX_SLOTS, 5) }),
    },
    answer: "ScheduleReport",
    work: ({ agent }, { querystring }) => agent.schedule(querystring),
  }),
  operation("statement", "/statement", {
    id: "getStatement",
    summary: "What a month or some days cost and used, for finance: charges, fees, uses, doubts and corrections",
    asks: {
      querystring: z.strictObject(inQuery(INPUTS.statement)),
    },
    answer: "Statement",
    work: ({ agent }, { querystring }) => agent.statement(querystring),
  }),
  operation("explain", "/explain", {
    id: "explainPage",
    summary: "Whether the next run would buy a page, and why",
    asks: { querystring: z.strictObject({ url: pageUrl.schema.describe("The page.") }) },
    answer: "Explanation",
    gate: { what: "explanations of a page", atOnce: EXPLAIN_AT_ONCE },
    work: ({ agent }, { querystring }) => agent.explain(querystring.url),
  }),
  operation("evidence", "/evidence", {
    id: "getEvidence",
    summary:
      "What the ledger proves about a page or a hash: versions, licence, rule, price, receipts, uses, rights, purge",
    asks: {
      querystring: z.strictObject({
        of: pageUrl.schema.describe("The page's URL, or the hash of a document (`sha256:…`)."),
        limit: rows(MAX_VERSIONS, 100).describe("At most so many versions."),
      }),
    },
    answer: "Evidence",
    gate: { what: "collections of evidence", atOnce: EVIDENCE_AT_ONCE },
    work: ({ agent }, { querystring: { of: subject, limit } }) => agent.evidence(subject, { limit }),
  }),
  operation("log", "/log", {
    id: "listActs",
    summary: "Who decided what, the newest first: doubts resolved, items closed, content purged, runs stopped",
    asks: { querystring: z.strictObject({ ...inQuery(INPUTS.log), limit: rows(MAX_ACTS, 50) }) },
    answer: "ActLog",
    work: ({ agent }, { querystring }) => agent.log(querystring),
  }),
  operation("usageReports", "/reports", {
    id: "listUsageReports",
    summary: "Usage reports, the newest first",
    asks: { querystring: z.strictObject({ ...inQuery(INPUTS.usageReports), limit: rows(MAX_ACTS, 50) }) },
    answer: "UsageReportList",
    work: ({ agent }, { querystring }) => agent.usageReports(querystring),
  }),
  operation("usageReport", "/reports/:id", {
    id: "getUsageReport",
    summary: "A usage report, and the receipts that were not as expected",
    asks: {
      params: rowParams("The report's `batchId`."),
      querystring: z.strictObject({ limit: rows(MAX_ACTS, 100) }),
    },
    answer: "ReportWithReceipts",
    work: ({ agent }, { params, querystring }) => agent.usageReport(params.id, querystring),
  }),
  operation("raisedAlerts", "/alerts", {
    id: "listAlerts",
    summary: "The alerts that were raised, the newest first, and who looks after them",
    asks: { querystring: z.strictObject({ ...inQuery(INPUTS.raisedAlerts), limit: rows(MAX_ACTS, 50) }) },
    answer: "RaisedAlertList",
    work: ({ agent }, { querystring }) => agent.raisedAlerts(querystring),
  }),
  operation("status", "/open-items", {
    id: "listOpenItems",
    summary: "What a person has to check, the oldest first",
    answer: "OpenItemList",
    work: async ({ resources }) => {
      const { openItems, totals } = await (await resources.ledger("read")).readStatus();
      return { openItems, total: totals.openItems };
    },
  }),
];
