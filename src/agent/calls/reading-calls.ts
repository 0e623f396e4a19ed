/** The calls that read for a person. They change nothing. */
import { isCount, isFlag, isOneOf, isText } from "../../check-options.ts";
import { RUN_STATE_FILTERS } from "../../ledger/run-reports.ts";
import { STATEMENT_GROUPINGS } from "../../statement/statement.ts";
import type { ExplainOptions } from "../agent.ts";
import { checkAgent } from "../checks/check-agent.ts";
import type { CheckOptions } from "../checks/check-report.ts";
import { explainAgent } from "../reports/explain-agent.ts";
import { runDetailsAgent, runsAgent } from "../reports/runs-agent.ts";
import { PURCHASE_STATE_FILTERS, type RunDetailsFilter, type RunFilter } from "../reports/runs-report.ts";
import { scheduleAgent } from "../reports/schedule-agent.ts";
import type { ScheduleFilter } from "../reports/schedule-report.ts";
import { type StatementFilter, statementAgent } from "../reports/statement-agent.ts";
import { auditAgent, statusAgent } from "../reports/status-agent.ts";
import type { StatusOptions } from "../reports/status-report.ts";
import { toRunReport } from "../runs/run-report.ts";
import { call, options, text } from "./call.ts";
import { isDuration } from "./value-checks.ts";

export const READING_CALLS = {
  status: call([options<StatusOptions>({ expiring: isDuration("30d") })], ({ resources }, asked) =>
    statusAgent(resources, asked),
  ),
  runStatus: call([text("runId")], async ({ resources }, runId) => {
    const summary = await (await resources.ledger("read")).readRun(runId);
    return toRunReport(summary, { warnings: [], newLedger: false }, resources.clock.now());
  }),
  runs: call(
    [options<RunFilter>({ limit: isCount, site: isText, state: isOneOf(RUN_STATE_FILTERS) })],
    ({ resources }, filter) => runsAgent(resources, filter),
  ),
  runDetails: call(
    [
      text("runId"),
      options<RunDetailsFilter>({
        limit: isCount,
        site: isText,
        license: isText,
        state: isOneOf(PURCHASE_STATE_FILTERS),
      }),
    ],
    ({ resources }, runId, filter) => runDetailsAgent(resources, runId, filter),
  ),
  schedule: call([options<ScheduleFilter>({ limit: isCount, site: isText })], ({ resources }, filter) =>
    scheduleAgent(resources, filter),
  ),
  statement: call(
    [
      options<StatementFilter>({
        month: isText,
        by: isOneOf(STATEMENT_GROUPINGS),
        site: isText,
        trustClock: isFlag,
      }),
    ],
    ({ resources, warn }, filter) => statementAgent(resources, filter, warn),
  ),
  explain: call([text("url"), options<ExplainOptions>({ needsLedger: isFlag })], ({ resources }, url, asked) =>
    explainAgent(resources, url, asked),
  ),
  audit: call([], ({ resources }) => auditAgent(resources)),
  check: call([options<CheckOptions>({ alerts: isFlag, offline: isFlag })], ({ resources }, asked) =>
    checkAgent(resources, asked),
  ),
};
