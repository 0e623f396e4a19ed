/** `agent.run`: begins or resumes a run in the ledger, works on it until its end, and reports it. */
import type { SiteConfig } from "../config/config.ts";
import { LicetError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { RunSummary } from "../ledger/ledger-reports.ts";
import type { BeginRun, Begun, RunSpec, RunTrigger, TakenOver, WhichRun } from "../ledger/run-ledger.ts";
import { createDocumentSink } from "../pipeline/document-sink.ts";
import { keepRun } from "../pipeline/keep-run.ts";
import { probeKept } from "../pipeline/probe-started.ts";
import type { StageDeps } from "../pipeline/stage-deps.ts";
import { type BudgetWarning, describeBudgetWarning, readBudgetWarnings } from "./budget-warnings.ts";
import type { RunCall } from "./call-checks.ts";
import { checkSpendCurrency, chooseSites } from "./call-settings.ts";
import { checkClock } from "./clock-check.ts";
import { createStageDeps, type Resources, type RunSink, warnOfSettings } from "./compose.ts";
import type { AgentEvents, EventBus } from "./events.ts";
import { describeEqualRepurchases } from "./repurchase-warning.ts";
import { runCrawl } from "./run-crawl.ts";
import type { RunReport, TakenOverRun } from "./run-report.ts";
import { createStageEvents } from "./stage-events.ts";
import { processLabel } from "./this-process.ts";
import { chooseWebhookRun, enterHints } from "./webhook-run.ts";

/** Calls of `onDocument` at once. */
const DOCUMENTS_AT_ONCE = 16;
/** Pages under way for each call of `onDocument`: enough that a fast program never waits for the gateway. */
const PAGES_PER_DOCUMENT_CALL = 4;

/** A run that a caller of this process starts: the options of `agent.run`, and what started it. */
export interface RunWork extends RunCall {
  /** @default "manual" */
  readonly trigger?: RunTrigger;
}

export async function runAgent(resources: Resources, bus: EventBus, options: RunWork): Promise<RunReport> {
  const { processes } = resources;
  const process = processes.begin();
  try {
    return await workRun(resources, bus, options, process);
  } finally {
    processes.end(process);
  }
}

async function workRun(resources: Resources, bus: EventBus, options: RunWork, process: string): Promise<RunReport> {
  const { config, clock } = resources;
  const collected = createStageEvents(bus, clock);
  const { warned } = collected.events;
  // Wrong options are reported before anything is started and before a ledger is created.
  const which = chooseWhich(options, resources);
  const chosen = chooseRunSites(config, options.hosts, which);
  checkSpendCurrency(config, options.maxSpend ?? null);
  const ledger = await resources.ledger(options.resume === undefined ? "create" : "existing");
  const newLedger = !(await ledger.hasRuns());
  if (newLedger) {
    bus.emit("ledger.new", { path: config.ledger.path });
  }
  warnOfSettings(config, collected.events);
  // The queue is opened before the run begins, so that a run that cannot begin leaves no trace in the ledger.
  const queue = await resources.queue(warned);
  for (const warning of (await queue.checkHealth()).warnings) {
    warned(warning);
  }
  const buyingClock = await checkClock(resources, ledger, {
    trusts: options.trustClock === true,
    events: collected.events,
  });
  const warnOfBudgets = createBudgetWatch(resources, ledger, warned);
  await warnOfBudgets({ hosts: (chosen.length === 0 ? config.sites : chosen).map(({ host }) => host), runId: null });
  const begun = await ledger.beginRun({
    ...(await findWorker(resources, ledger, process)),
    which,
    runId: resources.ids.newRunId(),
    trigger: options.trigger ?? "manual",
    sites: chosen.map(toRunSite),
    configured: config.sites.map(toRunSite),
    callerLimits: { maxPages: options.maxPages ?? null, maxSpend: options.maxSpend ?? null },
    limits: config.run,
  });
  if (begun.kind === "alive") {
    return reportAlive(ledger, begun, { skips: options.skipIfRunning === true, warned, now: clock.now() });
  }
  const { spec, resumed } = begun;
  const sites = sitesOf(config, spec);
  const sink = createRunSink(ledger, options);
  const createDeps = () =>
    createStageDeps(resources, ledger, {
      sites,
      maxSpend: spec.maxSpend,
      events: collected.events,
      buyingClock,
      ...sink,
    });
  const before = resumed ? toBefore(await ledger.readRun(spec.runId)) : null;
  bus.emit("run.started", { runId: spec.runId, hosts: spec.sites.map(({ host }) => host), resumed, before });
  if (resumed && options.resume === undefined && begun.webhookHost === null) {
    warned(`run ${spec.runId} was interrupted and is resumed; to begin a new run instead: licet run --fresh`);
  }
  const signal = options.signal ?? new AbortController().signal;
  // Each run has its own stage dependencies, because what happens to a site in a run that is taken over must stop the site only
  // there.
  const takenOver = await takeOver(await createDeps(), begun, { process, signal });
  const request = { runId: spec.runId, process, deadlineAt: spec.deadlineAt, signal };
  const deps = await createDeps();
  if (begun.webhookHost !== null) {
    await enterHints(deps, { runId: spec.runId, process, host: begun.webhookHost });
  }
  const summary = await runCrawl(deps, queue, resources.tuning, request);
  // A resumed run saw a part of the catalog before, in another process.
  for (const warning of resumed ? [] : deps.globWatch.warnings()) {
    warned(warning);
  }
  for (const site of summary.sites) {
    const warning = describeEqualRepurchases(site, "in this run");
    if (warning !== null) {
      collected.events.warned(warning);
    }
  }
  const budgetWarnings = await warnOfBudgets({ hosts: spec.sites.map(({ host }) => host), runId: spec.runId });
  bus.emit("run.ended", { runId: spec.runId, state: summary.state });
  const report = toRunReport(summary, { warnings: collected.warnings, newLedger }, clock.now());
  const { openItems } = await ledger.readStatus({ runs: 0 });
  const overBudget = openItems.some(({ kind }) => kind === "over_budget_use");
  const usage = { ...report.usage, charged: collected.charged, overBudget };
  return { ...report, usage, budgetWarnings, resumed, takenOver };
}

/** @returns a function that reads the budgets of a run and warns once of each that is nearly used up */
function createBudgetWatch(
  { config, clock }: Resources,
  ledger: Ledger,
  warned: (message: string) => void,
): (run: { readonly hosts: readonly string[]; readonly runId: string | null }) => Promise<readonly BudgetWarning[]> {
  const known = new Set<string>();
  return async (run) => {
    const warnings = await readBudgetWarnings(ledger, { budgets: config.budgets, ...run, now: clock.now() });
    for (const warning of warnings.filter(({ label }) => !known.has(label))) {
      known.add(warning.label);
      warned(describeBudgetWarning(warning));
    }
    return warnings;
  };
}

function toBefore({ sites, pages, spend }: RunSummary): AgentEvents["run.started"]["before"] {
  return { sites, pages, spend };
}

/** One sink for the whole call: it also takes the documents of the runs that this call takes over. */
function createRunSink(ledger: Ledger, options: RunCall): { readonly sink?: RunSink } {
  const { onDocument, onDocumentConcurrency: atOnce = DOCUMENTS_AT_ONCE } = options;
  if (onDocument === undefined) {
    return {};
  }
  const documents = createDocumentSink({ ledger, take: onDocument, atOnce });
  return { sink: { documents, maxPages: atOnce * PAGES_PER_DOCUMENT_CALL } };
}

/** Names the worker of this call, and the processes named by the ledger that are known to have ended. */
export async function findWorker(
  { clock, tuning, processes }: Resources,
  ledger: Ledger,
  process: string,
): Promise<Pick<BeginRun, "process" | "now" | "aliveMs" | "gone">> {
  const query = { now: clock.now(), aliveMs: tuning.pipeline.leaseMs, gone: [] };
  const names = (await ledger.listUnfinished(query)).map((run) => run.process);
  return { ...query, process, gone: names.filter((name) => name !== null && processes.hasEnded(name)) as string[] };
}

function chooseWhich({ resume, fresh = false, trigger, hosts }: RunWork, { config, clock }: Resources): WhichRun {
  if (resume !== undefined && fresh) {
    throw new LicetError("USAGE_INVALID", "a run cannot be both resumed and new", {
      hint: "use either --resume or --fresh",
    });
  }
  if (resume === undefined && trigger === "webhook") {
    return chooseWebhookRun(chooseSites(config, hosts), clock.now());
  }
  if (resume === undefined) {
    return { kind: fresh ? "fresh" : "interrupted" };
  }
  return resume === "newest" ? { kind: "newest" } : { kind: "named", runId: resume };
}

/** A resumed run keeps its sites. */
function chooseRunSites(
  config: Resources["config"],
  hosts: readonly string[] | undefined,
  which: WhichRun,
): readonly SiteConfig[] {
  if (which.kind === "named" || which.kind === "newest") {
    return [];
  }
  const sites = chooseSites(config, hosts);
  if (sites.length === 0) {
    throw new LicetError("CONFIG_INVALID", "no site is configured", { hint: 'name at least one under "sites"' });
  }
  return sites;
}

function sitesOf(config: Resources["config"], spec: RunSpec): readonly SiteConfig[] {
  return spec.sites
    .map(({ host }) => config.sites.find((site) => site.host === host))
    .filter((site) => site !== undefined);
}

export function toRunSite({ host, maxPages, refresh }: SiteConfig): RunSpec["sites"][number] {
  return { host, maxPages, fullWalkEveryMs: refresh.fullWalkEveryMs, overlapMs: refresh.overlapMs };
}

/** @throws LicetError RUN_ALIVE unless the caller set `skipIfRunning` */
async function reportAlive(
  ledger: Ledger,
  { runId, process, hosts }: Extract<Begun, { kind: "alive" }>,
  { skips, warned, now }: { readonly skips: boolean; readonly warned: (message: string) => void; readonly now: number },
): Promise<RunReport> {
  const where = process === null ? "" : ` in process ${processLabel(process)}`;
  const message = `another process works on run ${runId} of ${hosts.join(", ")}${where}: nothing was begun`;
  if (!skips) {
    throw new LicetError("RUN_ALIVE", message, {
      hint: `Wait for it, cancel it with \`licet cancel ${runId}\`, or avoid this error with --skip-if-running.`,
      details: { runId, process: process === null ? null : processLabel(process) },
    });
  }
  warned(message);
  return { ...toRunReport(await ledger.readRun(runId), { warnings: [message], newLedger: false }, now), skipped: true };
}

/**
 * Takes over the runs of dead processes: warns about them, probes their started purchases, and ends them. Their charges belong to
 * those runs.
 */
async function takeOver(
  deps: StageDeps,
  { spec, takenOver }: Extract<Begun, { kind: "begun" }>,
  { process, signal }: { readonly process: string; readonly signal: AbortSignal },
): Promise<readonly TakenOverRun[]> {
  const { ledger, clock, events } = deps;
  const reports: TakenOverRun[] = [];
  // Both runs are kept alive during the probes: this run and the run that is taken over.
  const kept = keepRun(deps, { runId: spec.runId, process }, signal);
  for (const left of takenOver) {
    events.warned(describeTakenOver(left));
  }
  try {
    for (const { runId, state, released, started } of takenOver) {
      if (started > 0 && (await probeKept(deps, { runId, process }, kept.signal))) {
        const reason = `run ${spec.runId} took it over`;
        const end = state === "failed" ? state : "interrupted";
        await ledger.endRun({ runId, state: end, reason, now: clock.now(), process });
      }
      const { pages } = await ledger.readRun(runId);
      reports.push({ runId, released, probed: started, inDoubt: pages.inDoubt });
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await ledger.endRun({ runId: spec.runId, state: "failed", reason, now: clock.now(), process });
    throw error;
  } finally {
    kept.stop();
  }
  return reports;
}

function describeTakenOver({ runId, state, released, started }: TakenOver): string {
  const how = state === "running" ? "ended unexpectedly" : state === "failed" ? "had failed" : "was interrupted";
  const left =
    released + started === 0
      ? "it left nothing open"
      : `${released} reserved pages are released, ${started} started pages are probed`;
  return `run ${runId} ${how} and is taken over: ${left}`;
}

/** @param now the end time for the duration of a run that has not ended */
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
    resumed: false,
    skipped: false,
    takenOver: [],
    sites,
    pages,
    denials,
    failures,
    refused,
    spend,
    usage: { ...usage, charged: {}, overBudget: false },
    budgetWarnings: [],
    warnings,
    durationMs: (endedAt ?? now) - startedAt,
  };
}
