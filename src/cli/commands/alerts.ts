import { Option } from "commander";
import type { ActingOptions } from "../../agent/acts/acted-by.ts";
import type { AlertsReport } from "../../agent/alerts/alerts-agent.ts";
import type { AcknowledgedAlert, ListedAlert, RaisedAlertList } from "../../agent/alerts/raised-alerts-agent.ts";
import { count } from "../../agent/calls/fields.ts";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { type ExitCode, exitCodeOfAlerts } from "../exit-code.ts";
import { parseNumber, parseText } from "../input/parse-arguments.ts";
import { formatInstant } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatLine, listTable } from "../output/text-table.ts";
import type { Session } from "../session.ts";

interface AlertsFlags extends ActingOptions {
  readonly test?: boolean;
  readonly raised?: boolean;
  readonly open?: boolean;
  readonly acknowledge?: number;
  readonly limit?: number;
  readonly cursor?: string;
}

export function declareAlerts(command: CliCommand): void {
  command
    .option("--test", "send a test to each receiver; one that takes it gets what was given up for it")
    .option("--raised", "the alerts that were raised, the newest first, and who looks after them")
    .option("--open", "with --raised: only those that nobody looks after")
    .addOption(
      new Option("--acknowledge <alert>", "write down that you look after an alert")
        .argParser(parseNumber(count))
        .conflicts(["raised", "test"]),
    )
    .limit("with --raised: at most so many (default: 50)", INPUTS.raisedAlerts.limit)
    .option("--cursor <cursor>", "with --raised: read on behind an earlier page", parseText(INPUTS.raisedAlerts.cursor))
    .acting(INPUTS.acknowledgeAlert)
    .examples([
      ["licet alerts", "who is told what"],
      ["licet alerts --test", "and whether it arrives"],
      ["licet alerts --raised --open", "what nobody looks after"],
      ['licet alerts --acknowledge 12 --reason "the gateway is asked"', ""],
    ])
    .does(alerts);
}

function alerts(session: Session, flags: AlertsFlags): Promise<ExitCode> {
  const { test = false, raised = false, open, acknowledge, limit, cursor, by, reason } = flags;
  if (acknowledge !== undefined) {
    return session.answerFromLedger((agent) => agent.acknowledgeAlert(acknowledge, { by, reason }), formatAcknowledged);
  }
  if (raised) {
    return session.answerFromLedger((agent) => agent.raisedAlerts({ open, limit, cursor }), formatRaised);
  }
  return session.answerFromAgent((agent) => agent.alerts({ test }), formatAlerts, exitCodeOfAlerts);
}

export function formatAlerts({ receivers }: AlertsReport, layout: Layout): string {
  if (receivers.length === 0) {
    return formatLine("Nobody is told anything: alerts is empty in the configuration.", layout);
  }
  return listTable(
    receivers,
    [
      { title: "receiver", cell: ({ to }) => to },
      { title: "form", cell: ({ form }) => form },
      {
        title: "test",
        wrap: true,
        cell: ({ test }) => (test === null ? "-" : { text: test.detail, tone: test.ok ? "good" : "bad" }),
      },
      { title: "is told of", wrap: true, below: true, cell: ({ kinds }) => kinds.join(", ") },
    ],
    layout,
    ({ test }) => (test?.hint == null ? [] : [test.hint]),
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
  const table = listTable(
    alerts,
    [
      { title: "alert", cell: ({ alertId }) => String(alertId) },
      { title: "at", cell: ({ raisedAt }) => formatInstant(raisedAt) },
      { title: "what", cell: ({ kind }) => kind },
      {
        title: "who looks after it",
        cell: ({ acknowledged }) =>
          acknowledged === null ? { text: "nobody", tone: "caution" } : (acknowledged.by ?? "not known"),
      },
      { title: "message", wrap: true, below: true, cell: ({ message }) => message },
    ],
    layout,
    ({ deliveries }) => deliveries.filter(({ state }) => state !== "delivered").map(formatDelivery),
  );
  return `${table}${more}`;
}

/** Of a delivery that has not arrived. */
function formatDelivery({ to, state, attempts, error, nextAttemptAt }: ListedAlert["deliveries"][number]): string {
  const next = nextAttemptAt === null ? "" : `, next at ${formatInstant(nextAttemptAt)}`;
  return `${to}: ${state} after ${attempts} attempts${next}${error === null ? "" : `: ${plainText(error)}`}`;
}
