/** The beginning of a run: which one it is, on which sites, and by which process. */
import type { ActedBy } from "../../act/act.ts";
import type { SiteConfig } from "../../config/config.ts";
import { assertBug, LicetError } from "../../errors.ts";
import { webhookRunKey } from "../../ledger/hint-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { BeginRun, Begun, RunSpec, RunTrigger, RunWorker, WhichRun } from "../../ledger/run-ledger.ts";
import type { HeldSlot } from "../../ledger/schedule-ledger.ts";
import type { WorkersElsewhere } from "../../pipeline/work/elsewhere.ts";
import type { Asker } from "../../run/what-becomes.ts";
import { toActedBy } from "../acts/acted-by.ts";
import type { RunCall } from "../calls/buying-calls.ts";
import { chooseSites } from "../calls/call-settings.ts";
import type { Resources } from "../compose.ts";
import { processLabel } from "../this-process.ts";
import { findGone } from "./find-unfinished.ts";
import type { Outages } from "./outages.ts";
import { toConfigurationText } from "./run-configuration.ts";
import { type RunReport, toRunReport } from "./run-report.ts";

/** A run that a caller of this process starts: the options of `agent.run`, what started it, and how it takes outages. */
export interface RunWork extends RunCall {
  /** @default "manual" */
  readonly trigger?: RunTrigger;
  /** Of a service: the slot that it begins the run for. */
  readonly slot?: HeldSlot | undefined;
  /** Of a service that looks for what was left: it resumes a run only while that is still left to it. */
  readonly asker?: Extract<Asker, { by: "service" }>;
  /** Of a service, whose runs wait until an outage is over. Without it, an outage ends the run. */
  readonly outages?: Outages;
  /** Of a service: who else works on its runs. */
  readonly elsewhere?: WorkersElsewhere;
}

/** A run that is to begin. */
interface Beginning {
  readonly which: WhichRun;
  /** Whether the clock is compared with the newest rows in the write that begins it: not after a person's word about it. */
  readonly checksClock: boolean;
  readonly sites: readonly SiteConfig[];
  readonly process: string;
  readonly options: Pick<
    RunWork,
    "trigger" | "slot" | "maxPages" | "maxSpend" | "order" | "outages" | "by" | "reason" | "requestKey"
  >;
}

/** Begins a new run or resumes an earlier one. Idempotent by process. */
export async function beginRun(resources: Resources, ledger: Ledger, beginning: Beginning): Promise<Begun> {
  return ledger.beginRun(await toBeginRun(resources, ledger, beginning));
}

/** What the ledger is asked for the beginning of a run. */
export async function toBeginRun(
  resources: Resources,
  ledger: Ledger,
  { which, checksClock, sites, process, options }: Beginning,
): Promise<BeginRun> {
  const { config } = resources;
  return {
    ...(await findWorker(resources, ledger, process)),
    which,
    runId: resources.ids.newRunId(),
    trigger: options.trigger ?? (which.kind === "list" ? "list" : "manual"),
    ...(options.slot === undefined ? {} : { slot: options.slot }),
    sites: sites.map(toRunSite),
    configured: config.sites.map(toRunSite),
    callerLimits: { maxPages: options.maxPages ?? null, maxSpend: options.maxSpend ?? null },
    limits: config.run,
    callerOrder: options.order ?? null,
    order: config.run.order,
    ...(checksClock ? { periods: config.budgets.map(({ period }) => period) } : {}),
    inService: options.outages !== undefined,
    configuration: toConfigurationText(config),
    ...nameStarter(resources, options),
  };
}

/** An act is kept where somebody gives a name or a reason: most runs are begun by a clock. */
function nameStarter(
  resources: Resources,
  { by, reason, requestKey }: Pick<RunWork, "by" | "reason" | "requestKey">,
): { readonly who?: ActedBy } {
  const isNamed = by !== undefined || reason !== undefined || requestKey !== undefined;
  return isNamed ? { who: toActedBy(resources, { by, reason, requestKey }) } : {};
}

/** Names the worker of this call, and the processes named by the ledger that are known to have ended. */
export async function findWorker(resources: Resources, ledger: Ledger, process: string): Promise<RunWorker> {
  return { ...(await findGone(resources, ledger)), process };
}

export function chooseWhich(
  { resume, fresh = false, trigger, hosts, asker }: RunWork,
  { config, clock }: Resources,
): WhichRun {
  if (resume !== undefined && fresh) {
    throw new LicetError("USAGE_INVALID", "a run cannot be both resumed and new", {
      hint: "use either --resume or --fresh",
    });
  }
  if (resume === undefined && trigger === "webhook") {
    const [site, ...others] = chooseSites(config, hosts);
    assertBug(site !== undefined && others.length === 0, "a webhook run has one site");
    return { kind: "webhook", key: webhookRunKey(site.host, clock.now()) };
  }
  if (resume === undefined) {
    return { kind: fresh ? "fresh" : "interrupted" };
  }
  return resume === "newest" ? { kind: "newest" } : { kind: "named", runId: resume, asker };
}

/** A resumed run keeps its sites. */
export function chooseRunSites(
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

export function sitesOf(config: Resources["config"], spec: RunSpec): readonly SiteConfig[] {
  return spec.sites
    .map(({ host }) => config.sites.find((site) => site.host === host))
    .filter((site) => site !== undefined);
}

export function toRunSite({ host, maxPages, refresh }: SiteConfig): RunSpec["sites"][number] {
  return { host, maxPages, fullWalkEveryMs: refresh.fullWalkEveryMs, overlapMs: refresh.overlapMs };
}

/** @throws LicetError RUN_ALIVE unless the caller set `skipIfRunning` */
export async function reportAlive(
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
