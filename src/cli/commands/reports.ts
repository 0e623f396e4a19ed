import { count } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type {
  ReportWithReceipts,
  UsageReportList,
  UsageReportsFilter,
} from "../../agent/reports/usage-reports-agent.ts";
import type { ListedReport } from "../../ledger/report-reports.ts";
import type { CliCommand } from "../cli-command.ts";
import { parseNumber } from "../input/parse-arguments.ts";
import { formatAmountCell, formatInstant } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { listTable } from "../output/text-table.ts";

export function declareReports(command: CliCommand): void {
  command
    .argument("[report]", "its number", parseNumber(count))
    .choice("--state <state>", "only reports in this state", INPUTS.usageReports.state.schema.options)
    .limit("at most so many (default: 50 reports, 100 receipts)", INPUTS.usageReports.limit)
    .cursor(INPUTS.usageReports.cursor)
    .examples([
      ["licet reports --state needs_reconcile", "what nobody knows the answer of"],
      ["licet reports 12 --json", "one report, for a program"],
    ])
    .does((session, report: number | undefined, flags: UsageReportsFilter) =>
      report === undefined
        ? session.answerFromLedger((agent) => agent.usageReports(flags), formatReports)
        : session.answerFromLedger((agent) => agent.usageReport(report, { limit: flags.limit }), formatReport),
    );
}

export function formatReports({ reports, nextCursor }: UsageReportList, layout: Layout): string {
  if (reports.length === 0) {
    return "No usage report matches.\n";
  }
  const more = nextCursor === null ? "" : `Older ones: licet reports --cursor ${nextCursor}\n`;
  return `${formatRows(reports, layout)}${more}`;
}

function formatRows(reports: readonly ListedReport[], layout: Layout): string {
  return listTable(
    reports,
    [
      { title: "report", cell: ({ batchId }) => String(batchId) },
      { title: "state", cell: ({ state }) => state },
      { title: "lines", cell: ({ entries }) => String(entries) },
      { title: "sent", cell: ({ attempts }) => String(attempts) },
      { title: "made", cell: ({ createdAt }) => formatInstant(createdAt) },
      { title: "answered", cell: ({ closedAt }) => formatInstant(closedAt) },
      { title: "detail", wrap: true, below: true, cell: ({ detail }) => detail ?? "" },
    ],
    layout,
  );
}

export function formatReport({ report, receipts }: ReportWithReceipts, layout: Layout): string {
  const rows = formatRows([report], layout);
  if (receipts.length === 0) {
    const said = report.receiptsAsExpectedAt === null ? "No receipt is kept of it." : "Each receipt came as expected.";
    return `${rows}${said}\n`;
  }
  const table = listTable(
    receipts,
    [
      { title: "page", wrap: true, cell: ({ url }) => url },
      { title: "each", cell: ({ perUnitMicros, currency }) => formatAmountCell(perUnitMicros, currency) },
      { title: "in all", cell: ({ totalMicros, currency }) => formatAmountCell(totalMicros, currency) },
      { title: "error", wrap: true, below: true, cell: ({ error }) => error ?? "" },
    ],
    layout,
  );
  return `${rows}${table}`;
}
