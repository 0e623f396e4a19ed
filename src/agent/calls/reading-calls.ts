/** The calls that read for a person. They change nothing. */
import type { Money } from "../../money/money.ts";
import { money } from "../../money/money-input.ts";
import { alertsAgent } from "../alerts/alerts-agent.ts";
import { raisedAlertsAgent } from "../alerts/raised-alerts-agent.ts";
import { checkAgent } from "../checks/check-agent.ts";
import { documentDetailsAgent, findDocumentsAgent } from "../documents/find-documents-agent.ts";
import { evidenceAgent } from "../evidence/evidence-agent.ts";
import { planDetailsAgent, plansAgent } from "../plans/saved-plans-agent.ts";
import { denialsAgent } from "../reports/denials-agent.ts";
import { explainAgent } from "../reports/explain-agent.ts";
import { logAgent } from "../reports/log-agent.ts";
import { runFunnelAgent } from "../reports/run-funnel-agent.ts";
import { runDetailsAgent, runsAgent } from "../reports/runs-agent.ts";
import { scheduleAgent } from "../reports/schedule-agent.ts";
import { spendAgent } from "../reports/spend-agent.ts";
import { statementAgent } from "../reports/statement-agent.ts";
import { auditAgent, statusAgent } from "../reports/status-agent.ts";
import { usageReportAgent, usageReportsAgent } from "../reports/usage-reports-agent.ts";
import { rightsAgent } from "../rights/rights-agent.ts";
import { toRunReport } from "../runs/run-report.ts";
import { siteDetailsAgent } from "../sites/site-details-agent.ts";
import { sitesAgent } from "../sites/sites-agent.ts";
import { argument, options, reads, type Take } from "./call.ts";
import { count, host, pageUrl, planName, runId } from "./fields.ts";

const takeDetailsOptions = options("siteDetails");
const takeSiteDetails: Take<{ readonly maxPrice?: Money | undefined }> = (name, given) => {
  const { maxPrice } = takeDetailsOptions(name, given);
  return { maxPrice: maxPrice === undefined ? undefined : money(maxPrice) };
};

export const READING_CALLS = {
  status: reads([options("status")], ({ resources }, asked) => statusAgent(resources, asked)),
  runStatus: reads([argument<string>("runId", runId)], async ({ resources }, runId) => {
    const summary = await (await resources.ledger("read")).readRun(runId);
    return toRunReport(summary, { warnings: [], newLedger: false }, resources.clock.now());
  }),
  runs: reads([options("runs")], ({ resources }, filter) => runsAgent(resources, filter)),
  runDetails: reads([argument<string>("runId", runId), options("runDetails")], ({ resources }, runId, filter) =>
    runDetailsAgent(resources, runId, filter),
  ),
  runFunnel: reads([argument<string>("runId", runId)], ({ resources }, runId) => runFunnelAgent(resources, runId)),
  plans: reads([options("plans")], ({ resources }, asked) => plansAgent(resources, asked)),
  planDetails: reads([argument<string>("name", planName), options("planDetails")], ({ resources }, name, asked) =>
    planDetailsAgent(resources, name, asked),
  ),
  usageReports: reads([options("usageReports")], ({ resources }, filter) => usageReportsAgent(resources, filter)),
  usageReport: reads([argument<number>("batchId", count), options("usageReport")], ({ resources }, batchId, asked) =>
    usageReportAgent(resources, batchId, asked),
  ),
  raisedAlerts: reads([options("raisedAlerts")], ({ resources }, filter) => raisedAlertsAgent(resources, filter)),
  schedule: reads([options("schedule")], ({ resources }, filter) => scheduleAgent(resources, filter)),
  statement: reads([options("statement")], ({ resources, warn }, filter) => statementAgent(resources, filter, warn)),
  spend: reads([options("spend")], ({ resources }, asked) => spendAgent(resources, asked)),
  denials: reads([options("denials")], ({ resources }, asked) => denialsAgent(resources, asked)),
  sites: reads([options("sites")], ({ resources }, asked) => sitesAgent(resources, asked)),
  siteDetails: reads([argument<string>("host", host), takeSiteDetails], ({ resources }, host, asked) =>
    siteDetailsAgent(resources, host, asked),
  ),
  findDocuments: reads([options("findDocuments")], ({ resources }, asked) => findDocumentsAgent(resources, asked)),
  documentDetails: reads([argument<number>("purchaseId", count)], ({ resources }, purchaseId) =>
    documentDetailsAgent(resources, purchaseId),
  ),
  rights: reads([options("rights")], ({ resources }, asked) => rightsAgent(resources, asked)),
  explain: reads([argument<string>("url", pageUrl), options("explain")], ({ resources }, url, asked) =>
    explainAgent(resources, url, asked),
  ),
  evidence: reads([argument<string>("subject", pageUrl), options("evidence")], ({ resources }, subject, asked) =>
    evidenceAgent(resources, subject, asked),
  ),
  log: reads([options("log")], ({ resources }, asked) => logAgent(resources, asked)),
  audit: reads([], ({ resources }) => auditAgent(resources)),
  alerts: reads([options("alerts")], ({ resources }, asked) => alertsAgent(resources, asked)),
  check: reads([options("check")], ({ resources }, asked) => checkAgent(resources, asked)),
};
