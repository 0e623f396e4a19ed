import { type Command, Option } from "commander";
import type { AlertsReport } from "../../agent/alerts/alerts-agent.ts";
import type { AcknowledgedAlert, ListedAlert, RaisedAlertList } from "../../agent/alerts/raised-alerts.ts";
import { count } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { plainText } from "../../plain-text.ts";
import { EXIT, type ExitCode, exitCodeOfAlerts } from "../exit-code.ts";
import { type ActingFlags, addActingOptions } from "../input/acting-options.ts";
import { examples, parseNumber, parseText } from "../input/parse-arguments.ts";
import { formatInstant } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatLine, formatTable } from "../output/text-table.ts";
import type { RunCommand } from "../program.ts";
import type { Session } from "../session.ts";

interface AlertsFlags extends ActingFlags {
  readonly test?: boolean;
  readonly raised?: boolean;
  readonly open?: boolean;
  readonly acknowledge?: number;
  readonly limit?: number;
  readonly cursor?: string;
}

export function addAlertsCommand(program: Command, run: RunCommand): void {
  addActingOptions(
    program
      .command("alerts")
      .description("who is told what (alerts), and whether each receiver takes a test")
      .option("--test", "send a test to each receiver; one that takes it gets what was given up for it")
      .option("--raised", "the alerts that were raised, the newest first, and who looks after them")
      .option("--open", "with --raised: only those that nobody looks after")
      .addOption(
        new Option("--acknowledge <alert>", "write down that you look after an alert")
          .argParser(parseNumber(count))
          .conflicts(["raised", "test"]),
      )
      .option("--limit <count>", "with --raised: at most so many (default: 50)", parseNumber(INPUTS.raisedAlerts.limit))
      .option(
        "--cursor <cursor>",
        "with --raised: read on behind an earlier page",
        parseText(INPUTS.raisedAlerts.cursor),
      ),
  )
    .addHelpText(
      "after",
      examples([
        ["licet alerts", "who is told what"],
        ["licet alerts --test", "and whether it arrives"],
        ["licet alerts --raised --open", "what nobody looks after"],
        ['licet alerts --acknowledge 12 --reason "the gateway is asked"', ""],
      ]),
    )
    .action((flags: AlertsFlags) => run((session) => alerts(session, flags)));
}

function alerts(session: Session, flags: AlertsFlags): Promise<ExitCode> {
  const { test = false, raised = false, open, acknowledge, limit, cursor, by, reason } = flags;
  if (acknowledge !== undefined) {
    return session.withLedger(async (agent) => {
      const done = await agent.acknowledgeAlert(acknowledge, { by, reason });
      await session.print(done, () => formatAcknowledged(done));
      return EXIT.done;
    });
  }
  if (raised) {
    return session.withLedger(async (agent) => {
      const list = await agent.raisedAlerts({ open, limit, cursor });
      await session.print(list, (layout) => formatRaised(list, layout));
      return EXIT.done;
    });
  }
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

export function formatAcknowledged({ alertId, isNew }: AcknowledgedAlert): string {
  return isNew
    ? `You look after alert ${alertId}.\n`
    : `Somebody looks after alert ${alertId} already: nothing was changed.\n`;
}

export function formatRaised({ alerts, nextCursor }: RaisedAlertList, layout: Layout): string {
  if (alerts.length === 0) {
    return "No alert was raised that is still kept, or somebody looks after each.\n";
  }
  const more = nextCursor === null ? "" : `Older ones: licet alerts --raised --cursor ${nextCursor}\n`;
  const table = formatTable(
    [
      { title: "alert" },
      { title: "at" },
      { title: "what" },
      { title: "who looks after it" },
      { title: "message", wrap: true, below: true },
    ],
    alerts.map(({ alertId, raisedAt, kind, message, acknowledged, deliveries }) => ({
      cells: [
        String(alertId),
        formatInstant(raisedAt),
        kind,
        acknowledged === null ? { text: "nobody", tone: "caution" } : plainText(acknowledged.by ?? "not known"),
        plainText(message),
      ],
      notes: deliveries.filter(({ state }) => state !== "delivered").map(formatDelivery),
    })),
    layout,
  );
  return `${table}${more}`;
}

/** Of a delivery that has not arrived. */
function formatDelivery({ to, state, attempts, error, nextAttemptAt }: ListedAlert["deliveries"][number]): string {
  const next = nextAttemptAt === null ? "" : `, next at ${formatInstant(nextAttemptAt)}`;
  return `${to}: ${state} after ${attempts} attempts${next}${error === null ? "" : `: ${plainText(error)}`}`;
}
