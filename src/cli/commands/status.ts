import type { StatusReport } from "../../agent/reports/status-report.ts";
import { processLabel } from "../../agent/this-process.ts";
import type { CliCommand } from "../cli-command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import { parseAge } from "../input/parse-arguments.ts";
import { formatAmountCell, formatInstant, formatSpend, formatSums } from "../output/format-values.ts";
import { formatHost } from "../output/host-name.ts";
import { type Layout, PLAIN_LAYOUT } from "../output/layout.ts";
import { type Excerpt, firstFew, formatMore, section } from "../output/report-sections.ts";
import { formatLine, formatTable, listTable } from "../output/text-table.ts";
import { formatBudgets, formatWarnings } from "../reports/budget-table.ts";
import { formatExpiring } from "../reports/expiring-table.ts";
import { formatOpenItems } from "../reports/open-item-table.ts";
import { formatRun } from "../reports/run-summary.ts";
import { formatRuns } from "../reports/run-table.ts";
import { formatToday } from "../reports/today-table.ts";
import { formatWaits } from "../reports/wait-lines.ts";
import { formatWorkers, titleOfWorkers } from "../reports/worker-table.ts";
import type { Session } from "../session.ts";
import { followRun } from "../watch/follow-run.ts";
import { watchStatus } from "../watch/watch-status.ts";

/** More alerts than this, undelivered, have one cause. */
const MAX_ALERTS = 10;

interface StatusFlags {
  readonly all?: boolean;
  readonly expiring?: string;
  readonly watch?: boolean;
}

export function declareStatus(command: CliCommand): void {
  command
    .argument("[run]", "a run's id")
    .option("--all", "list everything, not only the first ten of each")
    .option("--expiring <duration>", "also pages whose rights ended or end within this time, for example 30d", parseAge)
    .option("--watch", "show it as it changes, until Ctrl-C; of one run, until it ends, with its exit code")
    .examples([
      ["licet status", ""],
      ["licet status --watch", "what happens now"],
      ["licet status --all", "every purchase in doubt and every open item"],
      ["licet status run_0mi5c2k1x8f3a2b4c5d6", "one run"],
      ["licet status --expiring 30d", "which rights end, and what happens then"],
      ["licet status --json | jq .inDoubt", "for a program"],
    ])
    .does(status);
}

function status(
  session: Session,
  runId: string | undefined,
  { all = false, expiring, watch = false }: StatusFlags,
): Promise<ExitCode> {
  const { configArgument } = session;
  return session.withLedger(async (agent) => {
    if (watch) {
      const format = (report: StatusReport, layout: Layout) =>
        formatStatus(report, { all, expiring, configArgument, layout });
      return runId === undefined ? watchStatus(session, agent, { expiring, format }) : followRun(session, agent, runId);
    }
    if (runId === undefined) {
      const report = await agent.status({ expiring });
      await session.print(report, (layout) => formatStatus(report, { all, expiring, configArgument, layout }));
    } else {
      const report = await agent.runStatus(runId);
      await session.print(report, (layout) => formatRun(report, layout));
    }
    return EXIT.done;
  });
}

export interface StatusView {
  /** Everything, and not only the first few of each. */
  readonly all: boolean;
  /** `--expiring` as it was given. */
  readonly expiring?: string | undefined;
  readonly configArgument: string;
  readonly layout: Layout;
}

const WHOLE: StatusView = { all: true, configArgument: "", layout: PLAIN_LAYOUT };

export function formatStatus(report: StatusReport, view: StatusView = WHOLE): string {
  const { spend, usage, pagesStored, totals } = report;
  const { all, expiring = "30d", configArgument, layout } = view;
  const first = <Item>(items: readonly Item[], total: number): Excerpt<Item> => {
    const excerpt = { items, total, command: `licet status --all${configArgument}` };
    return all ? { ...excerpt, total: items.length } : firstFew(excerpt);
  };
  const unfinished = first(report.unfinished, report.unfinished.length);
  const runs = firstFew({
    items: report.runs,
    total: totals.runs,
    command: `licet runs --limit ${totals.runs}${configArgument}`,
  });
  const doubts = first(report.inDoubt, totals.inDoubt);
  const openItems = first(report.openItems, totals.openItems);
  const uses = [
    `Uses:  ${usage.recorded} recorded, ${usage.reported} reported, ${usage.pending} pending`,
    usage.rejected === 0 ? "" : `, ${usage.rejected} rejected`,
    usage.needsReconcile === 0 ? "" : `, ${usage.needsReconcile} to reconcile`,
  ].join("");
  return [
    formatToday(report.today, layout),
    ...section("Budgets", formatBudgets(report.budgets, report.budgetWarnings, layout), layout),
    ...section("Warnings", formatWarnings(report.budgetWarnings, layout), layout),
    ...section("Waits: nothing ends for it", formatWaits(report.waits, layout), layout),
    `\n${pagesStored} pages stored.\n`,
    formatLine(`Spend: ${formatSpend(spend)}`, layout),
    formatLine(uses, layout),
    ...formatService(report.service).map((line) => formatLine(line, layout)),
    ...formatNotifications(report.notifications).map((line) => formatLine(line, layout)),
    ...section(titleOfWorkers(report), formatWorkers(report.workers, layout), layout),
    ...formatExpiring(report.rights, { all, expiring, configArgument, layout }),
    ...section(
      "Not ended: the next licet run takes over killed runs and resumes interrupted ones; licet cancel RUN cancels one",
      formatUnfinished(unfinished.items, layout) + formatMore(unfinished, layout),
      layout,
    ),
    ...section("Runs (UTC)", formatRuns(runs.items, layout) + formatMore(runs, layout), layout),
    ...section(
      "Alerts that nobody got: licet check --alerts sends a test",
      formatAlerts(report.alerts, layout),
      layout,
    ),
    ...section(
      "In doubt: perhaps charged, content lost. Resolve each with licet resolve PURCHASE --charged | --not-charged",
      formatDoubts(doubts.items, layout) + formatMore(doubts, layout),
      layout,
    ),
    ...section(
      "Open items: ask the gateway's operator. Close each with licet resolve ITEM --close, a report to reconcile with licet resolve REPORT --taken | --not-taken",
      formatOpenItems(openItems.items, layout) + formatMore(openItems, layout),
      layout,
    ),
  ].join("");
}

/** A service that stopped in order is not worth a line. */
function formatService(service: StatusReport["service"]): string[] {
  if (service === null || service.expiresAt === null) {
    return [];
  }
  const { process, url, startedAt, isAlive } = service;
  const where = url === null ? "" : ` at ${url}`;
  const state = isAlive ? `at work since ${formatInstant(startedAt)}` : "not at work; it did not stop in order";
  return [`Service: ${processLabel(process)}${where}, ${state}`];
}

function formatAlerts({ undelivered }: StatusReport["alerts"], layout: Layout): string {
  return listTable(
    undelivered.slice(0, MAX_ALERTS),
    [
      { title: "raised", cell: ({ raisedAt }) => formatInstant(raisedAt) },
      { title: "state", cell: ({ state }) => state },
      { title: "attempts", align: "right", cell: ({ attempts }) => String(attempts) },
      { title: "to", cell: ({ to }) => to },
      { title: "alert", wrap: true, below: true, cell: ({ message }) => message },
      { title: "error", wrap: true, below: true, cell: ({ error }) => error ?? "" },
    ],
    layout,
  );
}

/** Nothing where there is no webhook. */
function formatNotifications({ history, ...states }: StatusReport["notifications"]): string[] {
  const { waiting, entered, done, unknown_site: unknown, excluded } = states;
  const ignored = unknown + excluded;
  const hints = [
    `Notifications:  ${waiting} waiting, ${entered} in a run, ${done} decided`,
    ignored === 0 ? "" : `, ${ignored} ignored (${unknown} of no configured site, ${excluded} excluded)`,
  ].join("");
  const readings = [
    `Delivery records:  read to ${formatInstant(history.coveredUntil)}, ${history.admitted} admitted that never arrived`,
    history.failures === 0 ? "" : `; the last ${history.failures} readings failed: ${history.lastError ?? ""}`,
  ].join("");
  return [
    ...(waiting + entered + done + ignored === 0 ? [] : [hints]),
    ...(history.sweeps + history.failures === 0 ? [] : [readings]),
  ];
}

function formatDoubts(doubts: StatusReport["inDoubt"], layout: Layout): string {
  return listTable(
    doubts,
    [
      { title: "purchase", align: "right", cell: ({ purchaseId }) => String(purchaseId) },
      {
        title: "quoted",
        align: "right",
        cell: ({ quotedMicros, currency }) => formatAmountCell(quotedMicros, currency),
      },
      { title: "reason", cell: ({ reason }) => ({ text: reason, tone: "caution" }) },
      { title: "since", cell: ({ at }) => formatInstant(at) },
      { title: "page", below: true, cell: ({ url }) => url },
      { title: "detail", wrap: true, below: true, cell: ({ detail }) => detail },
    ],
    layout,
  );
}

function formatUnfinished(unfinished: StatusReport["unfinished"], layout: Layout): string {
  return formatTable(
    [
      { title: "run" },
      { title: "state" },
      { title: "sites", wrap: true },
      { title: "reserved", align: "right" },
      { title: "sent", align: "right" },
      { title: "set aside", align: "right" },
    ],
    unfinished.map(({ runId, state, process, isAlive, lastSeenAt, hosts, reserved, started, setAsideMicros }) => {
      const isDead = state === "running" && !isAlive;
      const where = process === null ? "" : ` in ${processLabel(process)}`;
      return {
        cells: [
          runId,
          isDead
            ? { text: "died", tone: "bad" }
            : { text: state === "running" ? `active${where}` : state, tone: state === "failed" ? "bad" : "caution" },
          hosts.map(formatHost).join(", "),
          String(reserved),
          String(started),
          formatSums(setAsideMicros),
        ],
        notes: isDead ? [`died${where}, last sign of life ${formatInstant(lastSeenAt)}`] : [],
      };
    }),
    layout,
  );
}
