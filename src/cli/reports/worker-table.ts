/** The workers on other machines, in `licet status`. */
import type { StatusReport } from "../../agent/reports/status-report.ts";
import { formatInstant } from "../output/format-values.ts";
import type { Layout } from "../output/layout.ts";
import { formatTable } from "../output/text-table.ts";

/** What stands above the table. A service that is not at work hears nobody. */
export function titleOfWorkers({ service }: Pick<StatusReport, "service">): string {
  return service?.isAlive === true
    ? "Workers on other machines"
    : "Workers on other machines, as the last service knew them (no service is at work: they wait for the next one)";
}

export function formatWorkers(workers: StatusReport["workers"], layout: Layout): string {
  return formatTable(
    [
      { title: "worker" },
      { title: "state" },
      { title: "version" },
      { title: "share", align: "right" },
      { title: "jobs", align: "right" },
      { title: "pages", align: "right" },
      { title: "pages/s", align: "right" },
      { title: "last heard" },
    ],
    workers.map(({ name, state, version, places, share, jobs, pages, pagesPerSecond, seenAt }) => ({
      cells: [
        name,
        state === "lost" ? { text: state, tone: "bad" } : state,
        version,
        formatShare(share, places),
        String(jobs),
        String(pages),
        pagesPerSecond.toFixed(1),
        formatInstant(seenAt),
      ],
    })),
    layout,
  );
}

/** `4 of 16, 7.5/s`: requests in flight, of those that it can have. */
function formatShare({ concurrency, requestsPerSecond }: StatusReport["workers"][number]["share"], places: number) {
  const rate = requestsPerSecond === null ? "" : `, ${requestsPerSecond.toFixed(1)}/s`;
  return `${concurrency} of ${places}${rate}`;
}
