/** The workers on other machines, in `licet status`. */
import type { StatusReport } from "../../agent/reports/status-report.ts";
import { formatInstant } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { listTable } from "../output/text-table.ts";

/** What stands above the table. A service that is not at work hears nobody. */
export function titleOfWorkers({ service }: Pick<StatusReport, "service">): string {
  return service?.isAlive === true
    ? "Workers on other machines"
    : "Workers on other machines, as the last service knew them (no service is at work: they wait for the next one)";
}

export function formatWorkers(workers: StatusReport["workers"], layout: Layout): string {
  return listTable(
    workers,
    [
      { title: "worker", cell: ({ name }) => name },
      { title: "state", cell: ({ state }) => (state === "lost" ? { text: state, tone: "bad" } : state) },
      { title: "version", cell: ({ version }) => version },
      { title: "share", align: "right", cell: formatShare },
      { title: "jobs", align: "right", cell: ({ jobs }) => String(jobs) },
      { title: "pages", align: "right", cell: ({ pages }) => String(pages) },
      { title: "pages/s", align: "right", cell: ({ pagesPerSecond }) => pagesPerSecond.toFixed(1) },
      { title: "last heard", cell: ({ seenAt }) => formatInstant(seenAt) },
    ],
    layout,
  );
}

/** `4 of 16, 7.5/s`: requests in flight, of those that it can have. */
function formatShare({ share: { concurrency, requestsPerSecond }, places }: StatusReport["workers"][number]): string {
  const rate = requestsPerSecond === null ? "" : `, ${requestsPerSecond.toFixed(1)}/s`;
  return `${concurrency} of ${places}${rate}`;
}
