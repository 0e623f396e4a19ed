/** `agent.run`: creates or reopens a run in the ledger, works it to its end, and reports it. */

import type { SiteConfig } from "../config/config.ts";
import { LicetError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunSummary } from "../ledger/ledger-reports.ts";
import type { RunSpec } from "../ledger/run-ledger.ts";
import type { Money } from "../money/money.ts";
import type { RunReport } from "./agent.ts";
import type { RunCall } from "./call-checks.ts";
import { checkSpendCurrency, chooseSites, createStageDeps, type Resources, warnOfTransport } from "./compose.ts";
import type { EventBus } from "./events.ts";
import { describeEqualRepurchases } from "./repurchase-warning.ts";
import { runCrawl } from "./run-crawl.ts";
import { createStageEvents } from "./stage-events.ts";

export async function runAgent(resources: Resources, bus: EventBus, options: RunCall): Promise<RunReport> {
  const { config, clock } = resources;
  const collected = createStageEvents(bus);
  // What is wrong with the call is said before anything is started for it, or a ledger is made.
  const chosen = options.resume === undefined ? chooseRunSites(config, options.hosts) : [];
  checkSpendCurrency(config, options.maxSpend ?? null);
  const ledger = await resources.ledger(options.resume === undefined ? "create" : "existing");
  const newLedger = !(await ledger.hasRuns());
  if (newLedger) {
    bus.emit("ledger.new", { path: config.ledger.path });
  }
  warnOfTransport(config, collected.events);
  const resumedId = options.resume === undefined ? null : await findRunToResume(ledger, options.resume);
  // The queue before the run: a run that cannot begin leaves no trace in the ledger.
  const queue = await resources.queue(collected.events.warned);
  for (const warning of (await queue.checkHealth()).warnings) {
    collected.events.warned(warning);
  }
  const spec =
    resumedId === null ? await createRun(resources, options, chosen) : await reopenRun(resources, options, resumedId);
  const sites = spec.sites
    .map(({ host }) => config.sites.find((site) => site.host === host))
    .filter((site) => site !== undefined);
  const deps = createStageDeps(resources, ledger, { sites, maxSpend: spec.maxSpend, events: collected.events });
  bus.emit("run.started", {
    runId: spec.runId,
    hosts: spec.sites.map(({ host }) => host),
    resumed: resumedId !== null,
  });
  const summary = await runCrawl(deps, queue, resources.tuning, {
    runId: spec.runId,
    deadlineAt: spec.deadlineAt,
    signal: options.signal ?? new AbortController().signal,
  });
  for (const site of summary.sites) {
    const warning = describeEqualRepurchases(site, "in this run");
    if (warning !== null) {
      collected.events.warned(warning);
    }
  }
  bus.emit("run.ended", { runId: spec.runId, state: summary.state });
  return toRunReport(summary, { warnings: collected.warnings, newLedger }, clock.now());
}

function chooseRunSites(config: Resources["config"], hosts: readonly string[] | undefined): readonly SiteConfig[] {
  const sites = chooseSites(config, hosts);
  if (sites.length === 0) {
    throw new LicetError("CONFIG_INVALID", "no site is configured", { hint: 'name at least one under "sites"' });
  }
  return sites;
}

async function findRunToResume(ledger: Ledger, resume: string): Promise<string> {
  const runId = resume === "newest" ? await ledger.findUnfinishedRun() : resume;
  if (runId === null) {
    throw new LicetError("RUN_NOT_FOUND", "there is no unfinished run to resume", {
      hint: "start a new one: licet run",
    });
  }
  return runId;
}

async function createRun(resources: Resources, options: RunCall, sites: readonly SiteConfig[]): Promise<RunSpec> {
  const { clock, ids } = resources;
  const startedAt = clock.now();
  const spec: RunSpec = {
    runId: ids.newRunId(),
    kind: "run",
    startedAt,
    sites: sites.map(toRunSite),
    ...runLimits(resources, options, startedAt),
  };
  await (await resources.ledger("create")).createRun(spec);
  return spec;
}

async function reopenRun(resources: Resources, options: RunCall, runId: string): Promise<RunSpec> {
  const now = resources.clock.now();
  const limits = runLimits(resources, options, now);
  return (await resources.ledger("create")).reopenRun({
    runId,
    now,
    maxPages: options.maxPages === undefined ? null : limits.maxPages,
    maxSpend: options.maxSpend === undefined ? null : limits.maxSpend,
    deadlineAt: limits.deadlineAt,
  });
}

/** The configuration's limits, tightened by the call's. */
function runLimits(
  { config }: Resources,
  options: RunCall,
  now: number,
): { maxPages: number | null; maxSpend: Money | null; deadlineAt: number | null } {
  const { maxDurationMs } = config.run;
  return {
    maxPages: options.maxPages ?? config.run.maxPages,
    maxSpend: options.maxSpend ?? config.run.maxSpend,
    deadlineAt: maxDurationMs === null ? null : now + maxDurationMs,
  };
}

export function toRunSite({ host, maxPages, refresh }: SiteConfig): RunSpec["sites"][number] {
  return { host, maxPages, fullWalkEveryMs: refresh.fullWalkEveryMs, overlapMs: refresh.overlapMs };
}

/** @param now ends the clock of a run that has not ended */
export function toRunReport(
  summary: RunSummary,
  { warnings, newLedger }: Pick<RunReport, "warnings" | "newLedger">,
  now: number,
): RunReport {
  const { runId, state, reason, sites, pages, denials, failures, refused, spend, usage, startedAt, endedAt } = summary;
  return {
    runId,
    newLedger,
    state,
    reason,
    sites,
    pages,
    denials,
    failures,
    refused,
    spend,
    usage,
    warnings,
    durationMs: (endedAt ?? now) - startedAt,
  };
}
