import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Budget } from "../../../src/budget/budget.ts";
import { budgetBalanceKey, budgetedCurrencies } from "../../../src/budget/scope.ts";
import { createIds } from "../../../src/ids.ts";
import type { BatchStage } from "../../../src/ledger/lease-ledger.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { PageRecord } from "../../../src/ledger/ledger-reports.ts";
import type { RunSpec } from "../../../src/ledger/run-ledger.ts";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { createBuyingHold } from "../../../src/pipeline/acquire/buying-hold.ts";
import { createBuyingClock } from "../../../src/pipeline/decide/buying-clock.ts";
import { createDecisionTurns } from "../../../src/pipeline/decide/decision-turns.ts";
import { quote } from "../../../src/pipeline/quote/quote.ts";
import { createAnswerStreaks } from "../../../src/pipeline/settle/answer-streaks.ts";
import { NO_SINK } from "../../../src/pipeline/settle/document-sink.ts";
import { createSiteHealth } from "../../../src/pipeline/site-health.ts";
import type { PipelineLimits, SiteSettings, StageDeps } from "../../../src/pipeline/stage-deps.ts";
import { createGlobWatch } from "../../../src/pipeline/walk/glob-watch.ts";
import { walk } from "../../../src/pipeline/walk/walk.ts";
import { NO_OUTAGES } from "../../../src/pipeline/work/outage-policy.ts";
import { createSlots } from "../../../src/pipeline/work/slots.ts";
import { compilePolicy } from "../../../src/policy/match-rule.ts";
import type { ContentFormat, Fee, Intent } from "../../../src/policy/rule.ts";
import { createFakeClock, type FakeClock } from "../../doubles/fake-clock.ts";
import { copyNewLedger } from "../../doubles/new-ledger.ts";
import { allow, toPolicy } from "../../doubles/policy-cases.ts";
import {
  catalogPage,
  createScriptedGateway,
  type GatewayScript,
  type ScriptedGateway,
} from "../../doubles/scripted-gateway.ts";

export const HOST = "news.example";
export const NEVER = new AbortController().signal;

export const BUDGET: Budget = {
  scope: { kind: "all" },
  period: "total",
  limitMicros: toMicros(1_000_000),
  currency: "USD",
};

export const LIMITS: PipelineLimits = {
  catalogPageSize: 100,
  quoteBatchSize: 8,
  acquireBatchSize: 8,
  leaseMs: 60_000,
  flushLeaseMs: 10_000,
  batchAttempts: 3,
  batchBackoffMs: 500,
  probes: 4,
  probeBackoffMs: 200,
  maxProbeBackoffMs: 8_000,
  minContentBytes: 1,
  reportBatchSize: 4,
  reportWindowMs: 86_400_000,
  reportBackoffMs: 500,
  maxReportBackoffMs: 10_000,
};

export interface WorldOptions {
  readonly script?: GatewayScript;
  readonly limits?: Partial<PipelineLimits>;
  readonly hosts?: readonly string[];
  readonly intent?: Intent;
  readonly format?: ContentFormat;
  readonly budgets?: readonly Budget[];
  readonly fee?: Fee;
  readonly reportPermissions?: boolean;
  readonly maxPages?: number;
  readonly billsFetch?: boolean;
  readonly run?: Partial<RunSpec>;
  /** What the audit at the end may find, because the gateway of the test did it. */
  readonly tolerates?: RegExp;
}

/** The stages over a real ledger in a directory of its own, a scripted gateway and a clock that a test moves. */
export interface StageWorld {
  readonly deps: StageDeps;
  readonly ledger: Ledger;
  readonly gateway: ScriptedGateway;
  readonly clock: FakeClock;
  readonly runId: string;
  /** What the stages said, each as its name and its plain words. */
  readonly said: readonly { readonly event: string; readonly text: string }[];
  /** Says that no call to ledger or gateway is under way. */
  isIdle(): boolean;
  /** Calls to the ledger that are under way. */
  pendingInLedger(): number;
  /** Lets the clock run until the work ends. */
  drive<Result>(work: Promise<Result>): Promise<Result>;
  /** Leases one batch that must be of this stage. */
  lease(stage: BatchStage): Promise<string>;
  /** Walks and quotes these paths, and leases the first acquire batch. */
  leasePurchases(paths: readonly string[], host?: string): Promise<string>;
  createRun(runId: string): Promise<void>;
  /** The newest purchase of a page. */
  purchase(path: string, host?: string): Promise<PageRecord["purchases"][number] | undefined>;
  /** State and reason of the newest purchase of each page. */
  ends(paths: readonly string[]): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function pageUrl(path: string, host: string = HOST): string {
  return `https://${host}${path}`;
}

function toSettings(host: string, options: WorldOptions): SiteSettings {
  return {
    host,
    policy: compilePolicy(
      toPolicy([allow()], { intent: options.intent ?? "content", format: options.format ?? "markdown" }),
    ),
    refresh: { when: "modified", maxAgeMs: null },
    isExcluded: (path) => path.startsWith("/excluded"),
    reporting: { kinds: ["fetch", "use"], billed: options.billsFetch === true ? ["fetch", "use"] : ["use"] },
    currencies: budgetedCurrencies(options.budgets ?? [BUDGET], host),
  };
}

export async function createStageWorld(options: WorldOptions = {}): Promise<StageWorld> {
  const directory = await mkdtemp(join(tmpdir(), "licet-stage-"));
  const clock = createFakeClock();
  const path = join(directory, "licet.sqlite");
  await copyNewLedger(path);
  const file = await openSqliteLedger({ path });
  const { ledger, pending } = countCalls(file);
  const gateway = createScriptedGateway(clock.now, options.script);
  const said: { event: string; text: string }[] = [];
  const hosts = options.hosts ?? [HOST];
  const budgets = options.budgets ?? [BUDGET];
  const deps: StageDeps = {
    gateway,
    ledger,
    clock,
    ids: createIds(),
    random: () => 0.5,
    converter: { convert: async () => ({ ok: true, markdown: "derived" }) },
    events: recordEvents(said),
    limits: { ...LIMITS, ...options.limits },
    sites: new Map(hosts.map((host) => [host, toSettings(host, options)])),
    budgets,
    fee: options.fee ?? null,
    licenseIdField: "licenseCuid",
    reportPermissions: options.reportPermissions ?? false,
    pageSlots: createSlots(4),
    tokenSlots: createSlots(64),
    tokenStop: null,
    siteHealth: createSiteHealth(),
    answerStreaks: createAnswerStreaks(),
    expiry: {},
    order: "catalog",
    turns: createDecisionTurns(),
    buyingHold: createBuyingHold(),
    documents: NO_SINK,
    globWatch: createGlobWatch([]),
    outagePolicy: NO_OUTAGES,
    buyingClock: createBuyingClock([], null),
    book: null,
  };
  const createRun = (runId: string) => ledger.createRun({ ...toSpec(runId, clock.now(), options), ...options.run });
  const runId = "run_1";
  await createRun(runId);
  const isIdle = () => pending() === 0 && gateway.pending === 0;
  const drive = <Result>(work: Promise<Result>) => clock.drive(work, isIdle);

  const lease = async (stage: BatchStage) => {
    const [leased] = await ledger.leaseBatches({
      runId,
      limit: 1,
      now: clock.now(),
      leaseMs: deps.limits.leaseMs,
      maxWaitingPages: 1_000,
    });
    if (leased?.stage !== stage) {
      throw new Error(`leased ${leased?.stage ?? "nothing"} instead of a ${stage} batch`);
    }
    return leased.leaseId;
  };
  const purchase = async (path: string, host = HOST) => (await ledger.readPage(pageUrl(path, host)))?.purchases[0];

  return {
    deps,
    ledger,
    gateway,
    clock,
    runId,
    said,
    isIdle,
    pendingInLedger: pending,
    drive,
    lease,
    createRun,
    purchase,
    leasePurchases: async (paths, host = HOST) => {
      gateway.script.listCatalog = () => catalogPage(paths.map((path) => pageUrl(path, host)));
      await walk(deps, await lease("walk"), NEVER);
      await quote(deps, await lease("quote"), NEVER);
      return lease("acquire");
    },
    ends: async (paths) => {
      const found = await Promise.all(paths.map((path) => purchase(path)));
      return found.map((one) => (one === undefined ? "none" : [one.state, one.reason].filter(Boolean).join(" ")));
    },
    close: async () => {
      const audit = await ledger.audit({
        budgets: budgets.flatMap((budget) => {
          const host = budget.scope.kind === "site" ? budget.scope.host : HOST;
          const key = budgetBalanceKey(budget, { host, runId, at: clock.now() });
          return key === null
            ? []
            : [{ key, currency: budget.currency, limitMicros: budget.limitMicros, label: key.scope }];
        }),
        now: clock.now(),
      });
      await ledger.close();
      await rm(directory, { recursive: true, force: true });
      const broken = audit.violations.filter(({ detail }) => !options.tolerates?.test(detail));
      if (broken.length > 0) {
        throw new Error(`the ledger broke a promise: ${JSON.stringify(broken)}`);
      }
    },
  };
}

function toSpec(runId: string, startedAt: number, options: WorldOptions): RunSpec {
  return {
    runId,
    kind: "walk",
    order: "catalog",
    startedAt,
    sites: (options.hosts ?? [HOST]).map((host) => ({
      host,
      maxPages: options.maxPages ?? null,
      fullWalkEveryMs: null,
      overlapMs: 0,
    })),
    maxPages: null,
    maxSpend: null,
    deadlineAt: null,
  };
}

/** The same ledger, and how many of its calls are under way. */
function countCalls(file: Ledger): { ledger: Ledger; pending: () => number } {
  let pending = 0;
  const ledger = new Proxy(file, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as ((...args: unknown[]) => Promise<unknown>) | undefined;
      // Whoever awaits a ledger asks it for a `then`.
      if (method === undefined) {
        return undefined;
      }
      return async (...args: unknown[]) => {
        pending++;
        try {
          return await method.apply(target, args);
        } finally {
          pending--;
        }
      };
    },
  });
  return { ledger, pending: () => pending };
}

function recordEvents(said: { event: string; text: string }[]): StageDeps["events"] {
  const note = (event: string) => (what: object) => {
    said.push({ event, text: JSON.stringify(what) });
  };
  return {
    walked: note("walked"),
    decided: note("decided"),
    bought: note("bought"),
    failed: note("failed"),
    inDoubt: note("inDoubt"),
    siteStopped: note("siteStopped"),
    twoSchemes: note("twoSchemes"),
    flawedRates: note("flawedRates"),
    reported: note("reported"),
    retrying: note("retrying"),
    warned: (message) => {
      said.push({ event: "warned", text: message });
    },
  };
}
