/** What the service knows of its workers on other machines. Their number is limited, and so is that of the lost ones (workers.ts, lost-workers.ts). */
import { type KnownWorker, WORKER_STATES } from "../../ledger/service-ledger.ts";
import { ageSeconds, type Found, type Metrics, type Scrape, type Series } from "./metric.ts";

type Read = (workers: readonly KnownWorker[], scrape: Scrape) => Found;

export const WORKER_METRICS: Metrics<Read> = {
  "licet_workers{state}": [
    "Workers on other machines by state (docs/vocabulary.md). Absent where no token of the service has can: work.",
    (workers, { context }) =>
      context.config.serve.tokens.some(({ can }) => can === "work")
        ? WORKER_STATES.map((state) => [state, workers.filter((worker) => worker.state === state).length])
        : null,
  ],
  "licet_worker_info{worker,version}": [
    "Always 1; the labels name a worker on another machine and its version of licet.",
    (workers) => workers.map(({ name, version }) => [name, version, 1]),
  ],
  "licet_worker_places{worker}": [
    "Requests to the gateway that a worker on another machine may have in flight now.",
    byWorker(({ share }) => share.concurrency),
  ],
  "licet_worker_requests_per_second{worker}": [
    "Requests to the gateway that a worker on another machine may start each second. Absent without such a limit.",
    (workers, scrape) =>
      byWorker(({ share }) => share.requestsPerSecond ?? 0)(
        workers.filter(({ share }) => share.requestsPerSecond !== null),
        scrape,
      ),
  ],
  "licet_worker_jobs{worker}": ["Jobs that a worker on another machine has in hand.", byWorker(({ jobs }) => jobs)],
  "licet_worker_pages_total{worker}": [
    "Pages that a worker on another machine has bought since it started.",
    byWorker(({ pages }) => pages),
  ],
  "licet_worker_silence_seconds{worker}": [
    "How long ago a worker on another machine gave a sign of life.",
    byWorker(({ seenAt }, { now }) => ageSeconds(seenAt, now), Math.min),
  ],
};

/** A worker that was restarted may be there twice for some seconds, under one name: its numbers are added. */
function byWorker(read: (worker: KnownWorker, scrape: Scrape) => number, fold = (a: number, b: number) => a + b): Read {
  return (workers, scrape) => {
    const values = new Map<string, number>();
    for (const worker of workers) {
      const [before, value] = [values.get(worker.name), read(worker, scrape)];
      values.set(worker.name, before === undefined ? value : fold(before, value));
    }
    return [...values] satisfies Series[];
  };
}
