import { type Command, Option } from "commander";
import { count } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import type { ReportWithReceipts, UsageReportList, UsageReportsFilter } from "../../agent/reports/usage-reports.ts";
import type { ListedReport } from "../../ledger/report-reports.ts";
import { plainText } from "../../plain-text.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { examples, parseNumber, parseText } from "../input/parse-arguments.ts";
import { formatAmountCell, formatInstant } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatTable } from "../output/text-table.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

export function addReportsCommand(program: Command, run: RunCommand): void {
  program
    .command("reports")
    .description("the usage reports, the newest first; or one of them, with the receipts that were not as expected")
    .argument("[report]", "its number", parseNumber(count))
    .addOption(
      new Option("--state <state>", "only reports in this state").choices(INPUTS.usageReports.state.schema.options),
    )
    .option(
      "--limit <count>",
      "at most so many (default: 50 reports, 100 receipts)",
      parseNumber(INPUTS.usageReports.limit),
    )
    .option(
      "--cursor <cursor>",
      "read on behind an earlier page: its nextCursor",
      parseText(INPUTS.usageReports.cursor),
    )
    .addHelpText(
      "after",
      examples([
        ["licet reports --state needs_reconcile", "what nobody knows the answer of"],
        ["licet reports 12 --json", "one report, for a program"],
      ]),
    )
    .action((report: number | undefined, flags: UsageReportsFilter) =>
      run((session) => (report === undefined ? list(session, flags) : show(session, report, flags))),
    );
}

function list(session: Session, filter: UsageReportsFilter): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    const reports = await agent.usageReports(filter);
    await session.print(reports, (layout) => formatReports(reports, layout));
    return EXIT.done;
  });
}

function show(session: Session, batchId: number, { limit }: UsageReportsFilter): Promise<ExitCode> {
  return session.withLedger(async (agent) => {
    const details = await agent.usageReport(batchId, { limit });
    await session.print(details, (layout) => formatReport(details, layout));
    return EXIT.done;
  });
}

export function formatReports({ reports, nextCursor }: UsageReportList, layout: Layout): string {
  if (reports.length === 0) {
    return "No usage report matches.\n";
  }
  const more = nextCursor === null ? "" : `Older ones: licet reports --cursor ${nextCursor}\n`;
  return `${formatRows(reports, layout)}${more}`;
}

function formatRows(reports: readonly ListedReport[], layout: Layout): string {
  return formatTable(
    [
      { title: "report" },
      { title: "state" },
      { title: "lines" },
      { title: "sent" },
      { title: "made" },
      { title: "answered" },
      { title: "detail", wrap: true, below: true },
    ],
    reports.map(({ batchId, state, entries, attempts, createdAt, closedAt, detail }) => ({
      cells: [
        String(batchId),
        state,
        String(entries),
        String(attempts),
        formatInstant(createdAt),
        closedAt === null ? "-" : formatInstant(closedAt),
        plainText(detail ?? ""),
      ],
    })),
    layout,
  );
}

export function formatReport({ report, receipts }: ReportWithReceipts, layout: Layout): string {
  const rows = formatRows([report], layout);
  if (receipts.length === 0) {
    const said = report.receiptsAsExpectedAt === null ? "No receipt is kept of it." : "Each receipt came as expected.";
    return `${rows}${said}\n`;
  }
  const table = formatTable(
    [
      { title: "page", wrap: true },
      { title: "each" },
      { title: "in all" },
      { title: "error", wrap: true, below: true },
    ],
    receipts.map(({ url, perUnitMicros, totalMicros, currency, error }) => ({
      cells: [
        plainText(url),
        formatAmountCell(perUnitMicros, currency),
        formatAmountCell(totalMicros, currency),
        plainText(error ?? ""),
      ],
    })),
    layout,
  );
  return `${rows}${table}`;
}
