/** `agent.run`: begins or resumes a run in the ledger, works on it until its end, and reports it. */
import { messageOf } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { RunSummary, StoredDocument } from "../../ledger/ledger-reports.ts";
import type { Begun, WhichRun } from "../../ledger/run-ledger.ts";
import { createDocumentSink } from "../../pipeline/settle/document-sink.ts";
import { keepRun } from "../../pipeline/work/keep-run.ts";
import { nameStops } from "../acts/acted-by.ts";
import { type BudgetWarning, describeBudgetWarning, readBudgetWarnings } from "../alerts/budget-warnings.ts";
import type { RunCall } from "../calls/buying-calls.ts";
import { checkSpendCurrency } from "../calls/call-settings.ts";
import { checkClock } from "../clock/run-clock.ts";
import { type Resources, type RunSink, warnOfSettings } from "../compose.ts";
import type { AgentEvents, EventBus } from "../events/events.ts";
import { createStageEvents } from "../events/stage-events.ts";
import { warnOfService } from "../known-service.ts";
import type { OpenableList } from "../lists/list-input.ts";
import { checkList, chooseListRun, type OpenedList, openBegunList } from "../lists/run-list.ts";
import { openCheckedPlan, reopenPlan, toPlanCall, toPlanList, warnOfPlan } from "../plans/buy-plan.ts";
import { checkContent, type SavedPlan } from "../plans/open-plan.ts";
import { readPlanOutcome } from "../plans/plan-outcome.ts";
import { createWithRights } from "../rights/document-rights.ts";
import { watchRetries } from "../waits/watch-retries.ts";
import { beginRun, chooseRunSites, chooseWhich, type RunWork, reportAlive } from "./begin-run.ts";
import { workUntilEnd } from "./owned-run.ts";
import { type RunReport, toRunReport } from "./run-report.ts";
import { describeEqualRepurchases, warnOfCurrencies, warnOfNoValue } from "./run-warnings.ts";

/** Calls of `onDocument` at once. */
const DOCUMENTS_AT_ONCE = 16;
/** Pages under way for each call of `onDocument`: enough that a fast program never waits for the gateway. */
const PAGES_PER_DOCUMENT_CALL = 4;

export async function runAgent(resources: Resources, bus: EventBus, given: RunWork): Promise<RunReport> {
  const { processes } = resources;
  const process = processes.begin();
  const stops = nameStops(given.signal, resources);
  const options = { ...given, signal: stops.signal };
  try {
    // A plan that may not be bought is refused before anything is begun.
    const plan = options.plan === undefined ? null : await openCheckedPlan(options.plan, resources);
    if (plan !== null && options.planContent !== undefined) {
      checkContent(plan, options.planContent);
    }
    return await workRun(resources, bus, plan === null ? options : toPlanCall(options, plan), { process, plan });
  } finally {
    stops.detach();
    processes.end(process);
  }
}

async function workRun(
  resources: Resources,
  bus: EventBus,
  options: RunWork,
  { process, plan: given }: { readonly process: string; readonly plan: SavedPlan | null },
): Promise<RunReport> {
  const { config, clock } = resources;
  const collected = createStageEvents(bus, clock);
  const { events } = collected;
  // Wrong options are reported before anything is started and before a ledger is created.
  const chosen = chooseWhich(options, resources);
  const sites = chooseRunSites(config, options.hosts, chosen);
  checkSpendCurrency(config, options.maxSpend ?? null);
  await checkList(options.list, clock);
  const ledger = await resources.ledger(options.resume === undefined ? "create" : "existing", "pages");
  const newLedger = !(await ledger.hasRuns());
  if (newLedger) {
    bus.emit("ledger.new", { path: config.ledger.path });
  }
  warnOfSettings(config, events);
  const noValue = warnOfNoValue(options.order ?? config.run.order, sites.length === 0 ? config.sites : sites);
  if (noValue !== null && options.list === undefined) {
    events.warned(noValue);
  }
  // Loading the gateway's client takes longer than many a run. Its time is not the run's.
  await resources.gateway();
  if (options.outages === undefined) {
    // The queue is opened before the run begins, so that a run that cannot begin leaves no trace in the ledger.
    await openQueue(resources, events.warned);
    await warnOfService(resources, ledger, events.warned);
  }
  const trusts = options.trustClock === true;
  const buyingClock = await checkClock(resources, ledger, { trusts, events });
  const warnOfBudgets = createBudgetWatch(resources, ledger, events.warned);
  await warnOfBudgets({ hosts: (sites.length === 0 ? config.sites : sites).map(({ host }) => host), runId: null });
  const which = await chooseFor(options, chosen, { ledger, clock, warned: events.warned });
  const begun = await beginRun(resources, ledger, { which, checksClock: !trusts, sites, process, options });
  if (begun.kind === "alive") {
    const skips = options.skipIfRunning === true;
    return reportAlive(ledger, begun, { skips, warned: events.warned, now: clock.now() });
  }
  await reportStart(ledger, bus, begun);
  const { spec, resumed } = begun;
  const stopWaits = tellWaits(resources, bus, { runId: spec.runId, isOfService: options.outages !== undefined });
  if (resumed && options.resume === undefined && spec.kind !== "webhook") {
    events.warned(`run ${spec.runId} was interrupted and is resumed; to begin a new run instead: licet run --fresh`);
  }
  const signal = options.signal ?? new AbortController().signal;
  const { list, plan } = await openListOf(
    begun,
    { list: options.list, plan: given },
    { resources, ledger, signal, process },
  );
  warnOfPlan(plan, clock.now(), events.warned);
  const sink = createRunSink(resources, ledger, options);
  const run = { resources, ledger, events, options, buyingClock, sink, list, signal };
  const { summary, takenOver, warnings } = await workUntilEnd(run, { begun, process }).finally(() => {
    stopWaits();
    return list?.reader.close();
  });
  for (const warning of [
    ...warnings,
    warnOfCurrencies(summary.denials),
    ...summary.sites.map((site) => describeEqualRepurchases(site, "in this run")),
  ]) {
    if (warning !== null) {
      events.warned(warning);
    }
  }
  const budgetWarnings = await warnOfBudgets({ hosts: spec.sites.map(({ host }) => host), runId: spec.runId });
  bus.emit("run.ended", { runId: spec.runId, state: summary.state });
  const report = toRunReport(summary, { warnings: collected.warnings, newLedger }, clock.now());
  const { openItems } = await ledger.readStatus();
  const overBudget = openItems.some(({ kind }) => kind === "over_budget_use");
  const usage = { ...report.usage, chargedMicros: collected.charged, overBudget };
  const planned = plan === null ? null : await readPlanOutcome(ledger, plan, summary, { config, now: clock.now() });
  return { ...report, plan: planned, usage, budgetWarnings, resumed, takenOver };
}

/** Says what the run waits for. In a service, the requests of all runs pause together. @returns a function that ends it */
function tellWaits(
  { waits, clock, config }: Resources,
  bus: EventBus,
  { runId, isOfService }: { readonly runId: string; readonly isOfService: boolean },
): () => void {
  const stopTelling = waits.onChange((wait, isOver) => {
    if (wait.runId === runId) {
      bus.emit("run.waiting", { ...wait, runId, isOver });
    }
  });
  const { timeoutMs } = config.gateway;
  const stopRetries = isOfService ? () => {} : watchRetries(bus, { waits, clock, runId, timeoutMs });
  return () => {
    stopRetries();
    waits.forget(runId);
    stopTelling();
  };
}

/** A list brings its own run; every other run was chosen by the options. */
function chooseFor(
  { list, resume, fresh = false }: RunWork,
  chosen: WhichRun,
  deps: Omit<Parameters<typeof chooseListRun>[2], "fresh"> & { readonly ledger: Ledger },
): Promise<WhichRun> {
  return list === undefined || resume !== undefined
    ? Promise.resolve(chosen)
    : chooseListRun(deps.ledger, list, { ...deps, fresh });
}

/** @throws what kept the list from being opened, after the run was recorded as `interrupted` */
async function openListOf(
  { spec: { runId }, list: position }: Extract<Begun, { kind: "begun" }>,
  given: { readonly list: OpenableList | undefined; readonly plan: SavedPlan | null },
  {
    resources,
    ledger,
    signal,
    process,
  }: { resources: Resources; ledger: Ledger; signal: AbortSignal; process: string },
): Promise<{ readonly list: OpenedList | null; readonly plan: SavedPlan | null }> {
  const { clock, tuning } = resources;
  // The lines that were read are read again first, as slowly as whoever makes them gives them.
  const kept = keepRun({ ledger, clock, limits: tuning.pipeline }, { runId, process }, signal);
  try {
    const plan = await reopenPlan(runId, position, given, resources);
    const list = plan === null ? given.list : toPlanList(plan);
    return { plan, list: await openBegunList(runId, position, list, { clock, signal }) };
  } catch (error) {
    const reason = messageOf(error);
    await ledger.endRun({ runId, state: "interrupted", reason, now: clock.now(), process });
    throw error;
  } finally {
    kept.stop();
  }
}

async function openQueue(resources: Resources, warned: (message: string) => void): Promise<void> {
  const queue = await resources.queue(warned);
  for (const warning of (await queue.checkHealth()).warnings) {
    warned(warning);
  }
}

async function reportStart(
  ledger: Ledger,
  bus: EventBus,
  { spec, resumed }: Extract<Begun, { kind: "begun" }>,
): Promise<void> {
  const before = resumed ? toBefore(await ledger.readRun(spec.runId)) : null;
  const { runId, order, maxPages, maxSpend, deadlineAt, sites } = spec;
  bus.emit("run.started", {
    runId,
    hosts: sites.map(({ host }) => host),
    resumed,
    order,
    limits: {
      maxPages,
      maxSpendMicros: maxSpend?.micros ?? null,
      currency: maxSpend?.currency ?? null,
      deadlineAt: deadlineAt === null ? null : new Date(deadlineAt).toISOString(),
      sites: Object.fromEntries(
        sites.flatMap(({ host, maxPages: most }) => (most === null ? [] : [[host, most] as const])),
      ),
    },
    before,
  });
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
function createRunSink(resources: Resources, ledger: Ledger, options: RunCall): RunSink | undefined {
  const { onDocument, onDocumentConcurrency: atOnce = DOCUMENTS_AT_ONCE } = options;
  if (onDocument === undefined) {
    return undefined;
  }
  const withRights = createWithRights(resources);
  const take = (document: StoredDocument) => onDocument(withRights(document));
  const documents = createDocumentSink({ ledger, take, atOnce });
  return { documents, maxPages: atOnce * PAGES_PER_DOCUMENT_CALL };
}
