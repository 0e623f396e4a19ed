/**
 * The work on a run that has begun, until its end. A run of a command is one work period. A run of a service survives outages: what
 * keeps it from going on ends the work period, the run pauses, and the next work period begins when the outage is over.
 *
 * While a run pauses, it is running in the ledger and its heartbeats go on, so nobody takes it over. It goes on like any run that was
 * interrupted (`endRun`, `beginRun`): what was only reserved is decided anew, leases and backoffs end, started purchases are probed.
 */
import type { RunSummary } from "../../ledger/ledger-reports.ts";
import { probeKept } from "../../pipeline/probe/probe-started.ts";
import { NO_OUTAGES, type OutagePolicy } from "../../pipeline/work/outage-policy.ts";
import { createStageDeps } from "../compose.ts";
import { sitesOf } from "./begin-run.ts";
import { createOutagePolicy } from "./outages.ts";
import { type Beginning, type BegunRun, pauseRun, type WorkPeriod } from "./pause-run.ts";
import { type CrawlRequest, runCrawl } from "./run-crawl.ts";
import type { TakenOverRun } from "./run-report.ts";
import { takeOver } from "./take-over.ts";
import { enterHints } from "./webhook-run.ts";

/** After a work period of this length, the next outage is another one: the waits begin small again. */
const LONG_PERIOD_MS = 60_000;

export interface WorkedRun {
  readonly summary: RunSummary;
  readonly takenOver: readonly TakenOverRun[];
  /** What a walk of the whole catalog has shown of the globs. */
  readonly warnings: readonly string[];
}

/** @throws what ended the run as `failed` */
export async function workThroughOutages(run: BegunRun, begun: Beginning, process: string): Promise<WorkedRun> {
  const { resources, options } = run;
  const { outages } = options;
  if (outages === undefined) {
    return workOnePeriod(run, { begun, process }, NO_OUTAGES);
  }
  const takenOver: TakenOverRun[] = [];
  let period: WorkPeriod = { begun, process };
  let looks = 0;
  try {
    for (;;) {
      const since = resources.clock.now();
      const outagePolicy = createOutagePolicy(outages, resources.clock, run.signal);
      try {
        const worked = await workOnePeriod(run, period, outagePolicy);
        return { ...worked, takenOver: [...takenOver, ...worked.takenOver] };
      } catch (error) {
        if (!outagePolicy.pausesFor(error)) {
          throw error;
        }
        looks = resources.clock.now() - since < LONG_PERIOD_MS ? looks : 0;
        const paused = await pauseRun(run, period, { error, looks });
        if (paused.next === null) {
          return { summary: await run.ledger.readRun(begun.spec.runId), takenOver, warnings: [] };
        }
        looks = paused.looks;
        period = paused.next;
      }
    }
  } finally {
    resources.processes.end(period.process);
  }
}

async function workOnePeriod(
  run: BegunRun,
  { begun, process }: WorkPeriod,
  outagePolicy: OutagePolicy,
): Promise<WorkedRun> {
  const { resources, ledger, events, options, buyingClock, sink, signal, list } = run;
  const { spec, resumed } = begun;
  const createDeps = () =>
    createStageDeps(resources, ledger, {
      sites: sitesOf(resources.config, spec),
      maxSpend: spec.maxSpend,
      events,
      buyingClock,
      order: spec.order,
      outagePolicy,
      ...(sink === undefined ? {} : { sink }),
    });
  const { runId, deadlineAt } = spec;
  const request: CrawlRequest = { runId, limits: spec, process, deadlineAt, signal, list };
  // Each run has its own stage dependencies, because what happens to a site in a run that is taken over must stop the site only
  // there.
  const takenOver = await takeOver(await createDeps(), begun, request);
  const deps = await createDeps();
  if (options.outages !== undefined) {
    // A token lives for minutes. Its purchase does not wait for a queue that is away.
    await probeKept(deps, request, signal);
  }
  const [site] = spec.sites;
  if (spec.kind === "webhook" && site !== undefined) {
    await enterHints(deps, { runId, process, host: site.host });
  }
  const summary = await runCrawl(deps, await resources.queue(events.warned), resources.tuning, request);
  // A resumed run saw a part of the catalog before, in another process.
  return { summary, takenOver, warnings: resumed ? [] : deps.globWatch.warnings() };
}
