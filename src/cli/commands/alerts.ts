import type { Command } from "commander";
import type { AlertsReport } from "../../agent/alerts/alerts-agent.ts";
import { type ExitCode, exitCodeOfAlerts } from "../exit-code.ts";
import { examples } from "../input/parse-arguments.ts";
import type { Layout } from "../output/layout.ts";
import { formatLine, formatTable } from "../output/text-table.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

interface AlertsFlags {
  readonly test?: boolean;
}

export function addAlertsCommand(program: Command, run: RunCommand): void {
  program
    .command("alerts")
    .description("who is told what (alerts), and whether each receiver takes a test")
    .option("--test", "send a test to each receiver; one that takes it gets what was given up for it")
    .addHelpText(
      "after",
      examples([
        ["licet alerts", "who is told what"],
        ["licet alerts --test", "and whether it arrives"],
      ]),
    )
    .action((flags: AlertsFlags) => run((session) => alerts(session, flags)));
}

function alerts(session: Session, { test = false }: AlertsFlags): Promise<ExitCode> {
  return session.withAgent(async (agent) => {
    const report = await agent.alerts({ test });
    await session.print(report, (layout) => formatAlerts(report, layout));
    return exitCodeOfAlerts(report);
  });
}

export function formatAlerts({ receivers }: AlertsReport, layout: Layout): string {
  if (receivers.length === 0) {
    return formatLine("Nobody is told anything: alerts is empty in the configuration.", layout);
  }
  return formatTable(
    [
      { title: "receiver" },
      { title: "form" },
      { title: "test", wrap: true },
      { title: "is told of", wrap: true, below: true },
    ],
    receivers.map(({ to, form, kinds, test }) => ({
      cells: [to, form, test === null ? "-" : { text: test.detail, tone: test.ok ? "good" : "bad" }, kinds.join(", ")],
      notes: test?.hint === null || test?.hint === undefined ? [] : [test.hint],
    })),
    layout,
  );
}
