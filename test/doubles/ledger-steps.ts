/** One ledger call each, with everything a test does not care about filled in. */
import { assert } from "vitest";
import type { Balance, Budget, BudgetScope } from "../../src/budget/budget.ts";
import { advanceWalk } from "../../src/catalog/walk-state.ts";
import type {
  CatalogRecord,
  CatalogRecorded,
  Decided,
  DecideRequest,
  PageDecision,
  WalkedEntry,
} from "../../src/ledger/frontier-ledger.ts";
import type { BatchStage, Lease, LeaseRequest } from "../../src/ledger/lease-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { PlanBook } from "../../src/ledger/plan-book.ts";
import type { OpenedAcquireBatch, Settlement } from "../../src/ledger/purchase-ledger.ts";
import type { BeginRun, Begun, RunSiteSpec, RunSpec } from "../../src/ledger/run-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import type { Rate } from "../../src/rates/rate.ts";
import {
  type AddedMicros,
  createContent,
  LEASE_MS,
  NO_LIMIT,
  NOON,
  ON_DEMAND,
  RULE_TEXTS,
  toPrice,
} from "./ledger-shop.ts";

export const HOST = "news.example";
export const RUN = "run_1";

export function toSite(site: Partial<RunSiteSpec> = {}): RunSiteSpec {
  return { host: HOST, maxPages: null, fullWalkEveryMs: null, overlapMs: 0, ...site };
}

export function toSpec(spec: Partial<RunSpec> = {}): RunSpec {
  return {
    runId: RUN,
    kind: "walk",
    startedAt: NOON,
    sites: [toSite()],
    maxPages: null,
    maxSpend: null,
    deadlineAt: null,
    order: "catalog",
    ...spec,
  };
}

/** A process begins: by default it goes on with `RUN`, and nothing was said of limits. */
export function begin(ledger: Ledger, request: Partial<BeginRun> = {}): Promise<Begun> {
  return ledger.beginRun({
    process: "here:1:a",
    now: NOON,
    aliveMs: LEASE_MS,
    gone: [],
    which: { kind: "named", runId: RUN },
    runId: "run_new",
    trigger: "manual",
    sites: [toSite()],
    configured: [toSite()],
    callerLimits: { maxPages: null, maxSpend: null },
    limits: { maxPages: null, maxSpend: null, maxDurationMs: null },
    callerOrder: null,
    order: "catalog",
    ...request,
  });
}

/** Another process goes on with a run that the one before was stopped in. */
export async function resumeRun(ledger: Ledger, request: Partial<BeginRun> = {}, runId = RUN): Promise<RunSpec> {
  const now = request.now ?? NOON;
  await ledger.endRun({ runId, state: "interrupted", reason: "SIGINT", now });
  const begun = await begin(ledger, { which: { kind: "named", runId }, process: "here:2:b", ...request });
  if (begun.kind === "alive") {
    throw new Error(`run ${begun.runId} is alive`);
  }
  return begun.spec;
}

export function leaseMany(ledger: Ledger, request: Partial<LeaseRequest> = {}): Promise<readonly Lease[]> {
  return ledger.leaseBatches({
    runId: RUN,
    limit: 100,
    now: NOON,
    leaseMs: LEASE_MS,
    maxWaitingPages: 1_000_000,
    ...request,
  });
}

/** Leases exactly one batch, of this stage. */
export async function leaseOne(ledger: Ledger, stage: BatchStage, request: Partial<LeaseRequest> = {}): Promise<Lease> {
  const [lease] = await leaseMany(ledger, { ...request, limit: 1 });
  if (lease?.stage !== stage) {
    throw new Error(`expected a ${stage} batch, leased ${lease?.stage ?? "nothing"}`);
  }
  return lease;
}

/** @param path `/a` */
export function toEntry(path: string, entry: Partial<WalkedEntry> = {}, host = HOST): WalkedEntry {
  const url = `https://${host}${path}`;
  return { url, wireUrl: url, lastMod: null, lastModAt: null, propertyId: null, excluded: false, ...entry };
}

export interface WalkPage extends Partial<Omit<CatalogRecord, "entries">> {
  readonly entries: readonly WalkedEntry[];
  /** null ends the walk. @default null */
  readonly nextPageToken?: string | null;
  readonly runId?: string;
}

/** Leases the site's walk and records one catalog page. */
export async function walkPage(ledger: Ledger, page: WalkPage): Promise<CatalogRecorded> {
  const { nextPageToken = null, runId = RUN, ...record } = page;
  const lease = await leaseOne(ledger, "walk", { runId, now: page.now ?? NOON });
  const opened = await ledger.openWalk(lease.leaseId);
  if (opened === null) {
    throw new Error("the walk was stale");
  }
  const lastMods = page.entries.map(({ lastModAt }) => lastModAt);
  return ledger.recordCatalogPage({
    leaseId: lease.leaseId,
    now: NOON,
    rejected: [],
    refresh: { when: "modified", maxAgeMs: null },
    next: advanceWalk(opened.walk, lastMods, nextPageToken),
    quoteBatchSize: 100,
    intent: "content",
    ...record,
  });
}

export function toRate(priceMicros: number, currency = "USD"): Rate {
  return { license: ON_DEMAND, price: { micros: toMicros(priceMicros), currency }, error: null, validUntilAt: null };
}

export function toApproval(pageId: number, rate: Rate | null, extra: AddedMicros = {}): PageDecision {
  return {
    pageId,
    listing: rate === null ? null : { rates: [rate], unreadable: [] },
    verdict: {
      kind: "allowed",
      ruleIndex: 0,
      price: rate === null ? null : toPrice(rate, extra),
    },
  };
}

export interface QuickDecision extends Partial<Omit<DecideRequest, "decisions">> {
  /** One for all pages. @default 10,000 micros USD */
  readonly rate?: Rate | null;
  readonly decisions?: (pageIds: readonly number[]) => readonly PageDecision[];
  readonly runId?: string;
}

export function toDecideRequest(
  leaseId: string,
  decisions: readonly PageDecision[],
  request: Partial<DecideRequest> = {},
): DecideRequest {
  return {
    leaseId,
    now: NOON,
    policyName: "standard",
    ruleTexts: RULE_TEXTS,
    intent: "content",
    format: "markdown",
    inDoubt: "hold",
    reportsFetch: true,
    refresh: { when: "modified", maxAgeMs: null },
    decisions,
    budgets: [NO_LIMIT],
    acquireBatchSize: 100,
    ...request,
  };
}

/** Of a plan that has decided nothing yet. */
export const EMPTY_BOOK: PlanBook = { setAside: [], approved: 0, sites: [] };

/** Leases the next quote batch and approves all of it. */
export async function decideBatch(ledger: Ledger, quick: QuickDecision = {}): Promise<Decided> {
  const { rate = toRate(10_000), decisions, runId = RUN, ...request } = quick;
  const lease = await leaseOne(ledger, "quote", { runId, now: request.now ?? NOON });
  const pageIds = (await ledger.openQuoteBatch(lease.leaseId))?.pages.map(({ pageId }) => pageId) ?? [];
  const made = decisions?.(pageIds) ?? pageIds.map((pageId) => toApproval(pageId, rate));
  return ledger.decide(toDecideRequest(lease.leaseId, made, request));
}

/** Creates a run, walks these paths in one catalog page, and reserves what fits. */
export async function reserve(
  ledger: Ledger,
  paths: readonly string[],
  quick: QuickDecision = {},
  spec: Partial<RunSpec> = {},
): Promise<Decided> {
  const runId = quick.runId ?? spec.runId ?? RUN;
  const now = quick.now ?? NOON;
  await ledger.createRun(toSpec({ runId, startedAt: now, ...spec }));
  const { intent = "content", refresh = { when: "modified", maxAgeMs: null } as const } = quick;
  await walkPage(ledger, { entries: paths.map((path) => toEntry(path)), runId, now, intent, refresh });
  return decideBatch(ledger, { ...quick, runId });
}

export interface OpenedLease extends OpenedAcquireBatch {
  readonly leaseId: string;
}

export async function openAcquire(ledger: Ledger, request: Partial<LeaseRequest> = {}): Promise<OpenedLease> {
  const { leaseId } = await leaseOne(ledger, "acquire", request);
  const opened = await ledger.openAcquireBatch(leaseId);
  if (opened === null) {
    throw new Error("the lease was stale");
  }
  return { leaseId, ...opened };
}

export function start(ledger: Ledger, leaseId: string, purchaseId: number, now = NOON): Promise<boolean> {
  return ledger.startPurchase({
    leaseId,
    purchaseId,
    token: { token: `token-${purchaseId}`, expiresAt: now + 300_000 },
    now,
  });
}

export function toSettlement(purchaseId: number, settlement: Partial<Settlement> = {}): Settlement {
  return {
    purchaseId,
    now: NOON,
    charge: null,
    feeMicros: toMicros(0),
    content: createContent(`https://${HOST}/${purchaseId}`),
    requestId: null,
    flaws: [],
    isEmpty: false,
    ...settlement,
  };
}

export function toBudget(limitMicros: number, budget: Partial<Budget> = {}): Budget {
  return { scope: { kind: "all" }, period: "total", limitMicros: toMicros(limitMicros), currency: "USD", ...budget };
}

/** What counts over all time, in one currency and under one scope: `all`, `site:<host>` or `run:<id>`. */
export function readTotal(ledger: Ledger, currency = "USD", scope = "all"): Promise<Balance> {
  const [, kind, name = ""] = /^(all|site|run)(?::(.*))?$/.exec(scope) ?? [];
  const of: BudgetScope = kind === "site" ? { kind, host: name } : kind === "run" ? { kind } : { kind: "all" };
  return readBalance(ledger, toBudget(0, { scope: of, currency }), { name, now: NOON });
}

/** What counts against one budget at an instant; `name` is the host or the run of its scope. */
export async function readBalance(
  ledger: Ledger,
  budget: Budget,
  { name = "", now }: { readonly name?: string; readonly now: number },
): Promise<Balance> {
  const [found] = await ledger.readBalances({ budgets: [budget], hosts: [name], runId: name, now });
  assert(found !== undefined);
  return found.balance;
}
