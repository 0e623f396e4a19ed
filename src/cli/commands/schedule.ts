import { INPUTS } from "../../agent/calls/inputs.ts";
import type { ScheduleFilter, ScheduleReport, ScheduleStatus } from "../../agent/reports/schedule-agent.ts";
import { processLabel } from "../../agent/this-process.ts";
import type { SlotRecord, SlotState } from "../../ledger/schedule-ledger.ts";
import { plainText } from "../../plain-text.ts";
import type { CliCommand } from "../cli-command.ts";
import { formatCost, formatDuration, formatInstant, plural } from "../output/format-values.ts";
import { formatHost, parseHost } from "../output/host-name.ts";
import type { Layout, Tone } from "../output/layout.ts";
import { section } from "../output/report-sections.ts";
import { formatTable, type ItemColumn, listTable, type Row, wrapText } from "../output/text-table.ts";

export function declareSchedule(command: CliCommand): void {
  command
    .limit("the most next slots, and the most past ones, of each schedule (default: 5)", INPUTS.schedule.limit)
    .option("--site <host>", "only the schedule of this site", parseHost)
    .examples([
      ["licet schedule", ""],
      ["licet schedule --site news.example --limit 20", "more of one site"],
      ["licet schedule --json | jq '.schedules[].next[0]'", "for a program: when each schedule is due next"],
    ])
    .does((session, flags: ScheduleFilter) =>
      session.answerFromLedger((agent) => agent.schedule(flags), formatSchedules),
    );
}

const TONES: Readonly<Record<SlotState, Tone>> = {
  claimed: "caution",
  started: "caution",
  done: "good",
  refused: "caution",
  missed: "caution",
  failed: "bad",
};

const SLOT_COLUMNS: readonly ItemColumn<SlotRecord>[] = [
  { title: "slot", cell: ({ slotAt }) => formatInstant(slotAt) },
  { title: "state", cell: ({ state }) => ({ text: state, tone: TONES[state] }) },
  { title: "run", cell: ({ run }) => run?.runId ?? "-" },
  { title: "pages", align: "right", cell: ({ run }) => (run === null ? "-" : String(run.pagesBought)) },
  { title: "cost", align: "right", cell: ({ run }) => formatCost(run?.spend ?? {}) || "-" },
];

export function formatSchedules({ service, schedules }: ScheduleReport, layout: Layout): string {
  const lines = [
    describeService(service),
    ...(schedules.some(({ host }) => host !== null) ? [] : ["No site of this list has a schedule."]),
  ].flatMap((line) => wrapText(plainText(line), layout.columns));
  const next = formatTable(
    [{ title: "schedule" }, { title: "when" }, { title: "next slots", wrap: true }],
    schedules.map(toNextRow),
    layout,
  );
  return [
    ...lines.map((line) => `${line}\n`),
    ...section("Next slots (UTC)", next, layout),
    ...schedules.flatMap(({ schedule, slots }) =>
      section(
        `Last slots of ${plainText(formatName(schedule))} (UTC), the newest first`,
        listTable(slots, SLOT_COLUMNS, layout, listNotes),
        layout,
      ),
    ),
  ].join("");
}

function describeService(service: ScheduleReport["service"]): string {
  if (service?.isAlive) {
    const where = service.url === null ? "" : ` at ${service.url}`;
    return `A service is at work${where} (${processLabel(service.process)}).`;
  }
  return "No service is running: slots come only while `licet serve` runs.";
}

function toNextRow({ schedule, cron, timeZone, everyMs, misfire, next }: ScheduleStatus): Row {
  const when = cron === null ? `every ${formatDuration(everyMs ?? 0)}` : `${cron} (${timeZone})`;
  const skips = misfire === "skip" ? ["skips the slots that come while no service is running"] : [];
  return {
    cells: [formatName(schedule), when, next.length === 0 ? "none" : next.map(formatInstant).join(", ")],
    notes: skips,
  };
}

function listNotes({ firstAt, slots, detail, run }: SlotRecord): string[] {
  return [
    ...(slots > 1 ? [`stands for ${plural(slots, "slot")}, the first at ${formatInstant(firstAt)}`] : []),
    ...(detail === null ? [] : [detail]),
    ...(run === null || run.pagesInDoubt === 0 ? [] : [`${run.pagesInDoubt} of its pages in doubt`]),
  ];
}

/** The name of a schedule for people: hosts in their own script. */
function formatName(schedule: string): string {
  const [, host] = /^site:(.+)$/.exec(schedule) ?? [];
  return host === undefined ? schedule : formatHost(host);
}
