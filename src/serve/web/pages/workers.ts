/** Who works: the service, what it needs, the runs at work, and the batches that wait for a stage. */
import type { StatusReport, UnfinishedRunStatus } from "../../../agent/reports/status-report.ts";
import type { BatchesOfStage } from "../../../ledger/lease-ledger.ts";
import type { KnownWorker } from "../../../ledger/service-ledger.ts";
import { DEPENDENCIES, type DependencyState } from "../../process/readiness.ts";
import { commandLine } from "../command-line.ts";
import { type Html, html } from "../html/html.ts";
import { facts, live, section, table } from "../html/tables.ts";
import { address, badge, count, foreign, instant, link, plainInstant } from "../html/values.ts";
import { definePage } from "../page.ts";

const STATE_TONES = { attached: "good", idle: "plain", draining: "caution", lost: "bad" } as const;

interface Workers {
  readonly status: StatusReport;
  readonly dependencies: readonly DependencyState[];
  /** `serve.workers`. */
  readonly workers: number;
  readonly queue: string;
}

export const workersPage = definePage({
  path: "/workers",
  menu: { group: "Service", name: "Workers and queues" },
  title: "Workers and queues",
  isLive: true,
  command: commandLine(["status"]),
  read: async (reports): Promise<Workers> => ({
    status: await reports.status(),
    dependencies: reports.service.readiness.last(),
    workers: reports.service.config.serve.workers,
    queue: reports.service.config.queue.url === "embedded" ? "embedded, in this process" : "Redis",
  }),
  body: ({ status, dependencies, workers, queue }) => html`
${live("service", section("The service", serviceFacts(status, workers, queue)))}
${live("needs", section("What it needs", dependencyTable(dependencies)))}
${live("batches", section("Queues", batchTable(status.batches)))}
${live("elsewhere", section("Workers on other machines", elsewhereTable(status)))}
${live("work", section("Under work", workTable(status.unfinished)))}
<p>Each run has a queue of its own, and the ledger decides what is in it: a queue that is emptied loses no work.</p>`,
});

function serviceFacts({ service }: StatusReport, workers: number, queue: string): Html {
  return service === null
    ? html`<p class="empty">No service is known to this ledger.</p>`
    : facts([
        ["Process", foreign(service.process)],
        ["State", service.isAlive ? badge("at work", "good") : badge("not at work", "bad")],
        ["Address", foreign(service.url)],
        ["Since", instant(service.startedAt)],
        ["Queue", queue],
        [
          "Batches of a run at once",
          html`${workers === 1 ? "as many as usual" : `${workers} times as many as usual`} (<code>serve.workers</code>)`,
        ],
      ]);
}

function dependencyTable(dependencies: readonly DependencyState[]): Html {
  return table<DependencyState>({
    caption: `What the service needs: ${DEPENDENCIES.join(", ")}`,
    columns: [
      { title: "Name", cell: ({ name }) => name },
      { title: "State", cell: ({ ok, code }) => (ok ? badge("well", "good") : badge(code, "bad")) },
      { title: "Since", cell: ({ since }) => plainInstant(since) },
      { title: "Last looked", cell: ({ checkedAt }) => plainInstant(checkedAt) },
      { title: "Detail", cell: ({ detail, hint }) => html`${foreign(detail)}${hint !== null && html`<br>${hint}`}` },
    ],
    rows: dependencies,
    empty: html`Nothing was looked at yet. <code>/readyz</code> looks.`,
  });
}

function batchTable(batches: readonly BatchesOfStage[]): Html {
  return table<BatchesOfStage>({
    caption: "Work of the runs at work that is not done, by stage",
    columns: [
      { title: "Stage", cell: ({ stage }) => stage },
      { title: "Batches", cell: (row) => count(row.count), isNumber: true },
      { title: "Pages in them", cell: ({ size }) => count(size), isNumber: true },
    ],
    rows: batches,
    empty: "Nothing waits for a stage: no run is at work, or it has nothing left to do.",
  });
}

function elsewhereTable({ workers }: StatusReport): Html {
  return table<KnownWorker>({
    caption: "Workers on other machines, as the service knew them some seconds ago",
    columns: [
      { title: "Name", cell: ({ name }) => foreign(name) },
      { title: "State", cell: ({ state }) => badge(state, STATE_TONES[state]) },
      { title: "Version", cell: ({ version }) => version },
      { title: "Requests in flight", cell: ({ share }) => count(share.concurrency), isNumber: true },
      { title: "At most", cell: ({ places }) => count(places), isNumber: true },
      {
        title: "Requests a second",
        cell: ({ share }) => (share.requestsPerSecond === null ? "no limit" : count(share.requestsPerSecond)),
        isNumber: true,
      },
      { title: "Jobs", cell: ({ jobs }) => count(jobs), isNumber: true },
      { title: "Pages", cell: ({ pages }) => count(pages), isNumber: true },
      { title: "Pages a second", cell: ({ pagesPerSecond }) => count(pagesPerSecond), isNumber: true },
      { title: "Last sign of life", cell: ({ seenAt }) => instant(seenAt) },
    ],
    rows: workers,
    empty: html`The service has no workers on other machines. <code>licet worker</code> is one.`,
  });
}

function workTable(unfinished: readonly UnfinishedRunStatus[]): Html {
  return table<UnfinishedRunStatus>({
    caption: "Runs, and who works on them",
    columns: [
      { title: "Run", cell: ({ runId }) => link(address`/runs/${runId}`, runId) },
      { title: "Process", cell: ({ process }) => foreign(process) },
      { title: "Alive", cell: ({ isAlive }) => (isAlive ? badge("yes", "good") : badge("no", "caution")) },
      { title: "Last sign of life", cell: ({ lastSeenAt }) => instant(lastSeenAt) },
      { title: "Pages reserved", cell: ({ reserved }) => count(reserved), isNumber: true },
      { title: "Requests sent", cell: ({ started }) => count(started), isNumber: true },
      { title: "Kind", cell: ({ kind }) => kind },
    ],
    rows: unfinished,
    empty: html`No run is at work. A run begins by its schedule, by a notification, or by <code>licet run</code>.`,
  });
}
