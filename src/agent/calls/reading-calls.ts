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
import { argument, options, reads, type Take, withResources } from "./call.ts";
import { count, host, pageUrl, planName, runId } from "./fields.ts";

const takeDetailsOptions = options("siteDetails");
const takeSiteDetails: Take<{ readonly maxPrice?: Money | undefined }> = (name, given) => {
  const { maxPrice } = takeDetailsOptions(name, given);
  return { maxPrice: maxPrice === undefined ? undefined : money(maxPrice) };
};

export const READING_CALLS = {
  status: reads([options("status")], withResources(statusAgent)),
  runStatus: reads([argument<string>("runId", runId)], async ({ resources }, runId) => {
    const summary = await (await resources.ledger("read")).readRun(runId);
    return toRunReport(summary, { warnings: [], newLedger: false }, resources.clock.now());
  }),
  runs: reads([options("runs")], withResources(runsAgent)),
  runDetails: reads([argument<string>("runId", runId), options("runDetails")], withResources(runDetailsAgent)),
  runFunnel: reads([argument<string>("runId", runId)], withResources(runFunnelAgent)),
  plans: reads([options("plans")], withResources(plansAgent)),
  planDetails: reads([argument<string>("name", planName), options("planDetails")], withResources(planDetailsAgent)),
  usageReports: reads([options("usageReports")], withResources(usageReportsAgent)),
  usageReport: reads([argument<number>("batchId", count), options("usageReport")], withResources(usageReportAgent)),
  raisedAlerts: reads([options("raisedAlerts")], withResources(raisedAlertsAgent)),
  schedule: reads([options("schedule")], withResources(scheduleAgent)),
  statement: reads([options("statement")], ({ resources, warn }, filter) => statementAgent(resources, filter, warn)),
  spend: reads([options("spend")], withResources(spendAgent)),
  denials: reads([options("denials")], withResources(denialsAgent)),
  sites: reads([options("sites")], withResources(sitesAgent)),
  siteDetails: reads([argument<string>("host", host), takeSiteDetails], withResources(siteDetailsAgent)),
  findDocuments: reads([options("findDocuments")], withResources(findDocumentsAgent)),
  documentDetails: reads([argument<number>("purchaseId", count)], withResources(documentDetailsAgent)),
  rights: reads([options("rights")], withResources(rightsAgent)),
  explain: reads([argument<string>("url", pageUrl), options("explain")], withResources(explainAgent)),
  evidence: reads([argument<string>("subject", pageUrl), options("evidence")], withResources(evidenceAgent)),
  log: reads([options("log")], withResources(logAgent)),
  audit: reads([], withResources(auditAgent)),
  alerts: reads([options("alerts")], withResources(alertsAgent)),
  check: reads([options("check")], withResources(checkAgent)),
};
