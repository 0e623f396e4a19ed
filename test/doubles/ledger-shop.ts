/** Drives a ledger through its port the way the pipeline does, so that a test can begin with pages that were bought. */
import type { Budget } from "../../src/budget/budget.ts";
import { createWalkState } from "../../src/catalog/walk-state.ts";
import { hashContent } from "../../src/content/content-hash.ts";
import type { Decided, FrontierPage, PageDecision } from "../../src/ledger/frontier-ledger.ts";
import type { BatchStage, Lease } from "../../src/ledger/lease-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ContentRecord, OpenPurchase } from "../../src/ledger/purchase-ledger.ts";
import { type Micros, toMicros } from "../../src/money/micros.ts";
import type { PricedRate } from "../../src/policy/price.ts";
import type { License } from "../../src/rates/license.ts";
import type { Rate } from "../../src/rates/rate.ts";

/** A Friday, in the middle of a day, a week and a month. */
export const NOON = Date.UTC(2026, 10, 20, 12);
export const LEASE_MS = 60_000;
const TOKEN_LIFE_MS = 300_000;

export const ON_DEMAND: License = {
  licenseType: "ON_DEMAND_LICENSE",
  cuid: "cuid-on-demand",
  licensePath: "https://gateway.example/licenses/on-demand",
  permissions: ["PARTIAL_USE"],
};

export const NO_LIMIT: Budget = {
  scope: { kind: "all" },
  period: "total",
  limitMicros: toMicros(1_000_000_000_000),
  currency: "USD",
};

export interface Shopping {
  readonly runId: string;
  readonly host: string;
  /** Paths on the host, `/a`. */
  readonly paths: readonly string[];
  readonly priceMicros: number;
  readonly currency: string;
  readonly license: License;
  readonly feeMicros: number;
  /** The fetch is reported, and (where this is not 0) charged again on the report. */
  readonly useReserveMicros: number;
  readonly reportsFetch: boolean;
  readonly intent: "content" | "indexing";
  readonly format: "markdown" | "html" | "both";
  readonly budgets: readonly Budget[];
  readonly inDoubt: "hold" | "rebuy";
  readonly at: number;
  /** Decides a page instead of buying it at the price and license above; null: all are bought so. */
  readonly judge: ((page: FrontierPage) => PageDecision) | null;
}

export const SHOPPING: Shopping = {
  runId: "run_1",
  host: "news.example",
  paths: ["/a"],
  priceMicros: 10_000,
  currency: "USD",
  license: ON_DEMAND,
  feeMicros: 0,
  useReserveMicros: 0,
  reportsFetch: true,
  intent: "content",
  format: "markdown",
  budgets: [NO_LIMIT],
  inDoubt: "hold",
  at: NOON,
  judge: null,
};

/** Of a policy with more rules than any test has. */
export const RULE_TEXTS = Array.from({ length: 32 }, (_, index) => `allow everything, rule ${index + 1}`);

export interface Reserved {
  readonly decided: Decided;
  /** null when nothing was reserved. */
  readonly leaseId: string | null;
  readonly purchases: readonly OpenPurchase[];
}

/** Walks, quotes and decides: the pages are reserved. */
export async function reservePages(ledger: Ledger, options: Partial<Shopping> = {}): Promise<Reserved> {
  const shopping = { ...SHOPPING, ...options };
  const { runId, host, paths, at, intent } = shopping;
  const site = { host, maxPages: null, fullWalkEveryMs: null, overlapMs: 0 };
  await ledger.createRun({
    runId,
    kind: "walk",
    order: "catalog",
    startedAt: at,
    sites: [site],
    maxPages: null,
    maxSpend: null,
    deadlineAt: null,
  });
  const walk = await leaseOne(ledger, shopping, "walk");
  await ledger.recordCatalogPage({
    leaseId: walk.leaseId,
    now: at,
    entries: paths.map((path) => {
      const url = `https://${host}${path}`;
      return { url, wireUrl: url, lastMod: null, lastModAt: null, propertyId: null, excluded: false };
    }),
    rejected: [],
    refresh: { when: "always", maxAgeMs: null },
    next: { ...createWalkState(null), pagesRead: 1, ended: "complete" },
    quoteBatchSize: paths.length,
    intent,
  });
  const decided = await decidePages(ledger, shopping);
  if (decided.approved === 0) {
    return { decided, leaseId: null, purchases: [] };
  }
  const { leaseId } = await leaseOne(ledger, shopping, "acquire");
  const opened = await ledger.openAcquireBatch(leaseId);
  return { decided, leaseId, purchases: opened?.purchases ?? [] };
}

/** Reserves pages and starts each with a token: the chargeable request may have been sent. */
export async function startPages(ledger: Ledger, options: Partial<Shopping> = {}): Promise<readonly OpenPurchase[]> {
  const { at } = { ...SHOPPING, ...options };
  const { leaseId, purchases } = await reservePages(ledger, options);
  await Promise.all(
    purchases.map(({ purchaseId }) =>
      ledger.startPurchase({
        leaseId: leaseId ?? "",
        purchaseId,
        token: { token: `token-${purchaseId}`, expiresAt: at + TOKEN_LIFE_MS },
        now: at,
      }),
    ),
  );
  return purchases;
}

/** Buys pages and ends the run. @returns the ids of the purchases, settled at what was quoted */
export async function buyPages(ledger: Ledger, options: Partial<Shopping> = {}): Promise<number[]> {
  const { at, feeMicros, format, runId } = { ...SHOPPING, ...options };
  const purchases = await startPages(ledger, options);
  await Promise.all(
    purchases.map(({ purchaseId, url }) =>
      ledger.settlePurchase({
        purchaseId,
        now: at,
        charge: null,
        feeMicros: toMicros(feeMicros),
        content: createContent(url, format),
        requestId: null,
        flaws: [],
        isEmpty: false,
      }),
    ),
  );
  await ledger.endRun({ runId, state: "completed", reason: null, now: at });
  return purchases.map(({ purchaseId }) => purchaseId);
}

export function createContent(url: string, format: Shopping["format"] = "markdown"): ContentRecord {
  const body = format === "markdown" ? `# ${url}` : `<h1>${url}</h1>`;
  return {
    markdown: format === "markdown" ? body : null,
    html: format === "markdown" ? null : body,
    header: "header",
    footer: null,
    author: "Ada",
    description: null,
    imageUrl: null,
    modified: null,
    published: null,
    title: url,
    contentHash: hashContent({ header: "header", body, footer: "" }),
    conversionFailure: null,
  };
}

async function decidePages(ledger: Ledger, shopping: Shopping): Promise<Decided> {
  const { at, intent, format, reportsFetch, budgets, inDoubt, paths } = shopping;
  const { leaseId } = await leaseOne(ledger, shopping, "quote");
  const opened = await ledger.openQuoteBatch(leaseId);
  const judge = shopping.judge ?? ((page: FrontierPage) => approve(page, shopping));
  return ledger.decide({
    leaseId,
    now: at,
    policyName: "standard",
    ruleTexts: RULE_TEXTS,
    intent,
    format,
    inDoubt,
    reportsFetch: intent === "content" && reportsFetch,
    refresh: { when: "always", maxAgeMs: null },
    decisions: (opened?.pages ?? []).map(judge),
    budgets,
    acquireBatchSize: paths.length,
  });
}

function approve({ pageId }: FrontierPage, shopping: Shopping): PageDecision {
  const isPaid = shopping.intent === "content";
  const rate = { license: shopping.license, price: toMoney(shopping), error: null, validUntilAt: null };
  return {
    pageId,
    listing: isPaid ? { rates: [rate], unreadable: [] } : null,
    verdict: {
      kind: "allowed",
      ruleIndex: 0,
      price: isPaid ? toPrice(rate, shopping) : null,
    },
  };
}

/** What a purchase sets aside beside the price of its rate. @default nothing */
export interface AddedMicros {
  readonly feeMicros?: number;
  readonly useReserveMicros?: number;
}

export function toPrice(rate: Rate, { feeMicros = 0, useReserveMicros = 0 }: AddedMicros = {}): PricedRate {
  const { micros, currency } = rate.price;
  return {
    rate,
    setAside: { quotedMicros: micros, feeMicros: toMicros(feeMicros), useReserveMicros: toMicros(useReserveMicros) },
    cost: { micros: toMicros(micros + feeMicros + useReserveMicros), currency },
  };
}

function toMoney({ priceMicros, currency }: Shopping): { micros: Micros; currency: string } {
  return { micros: toMicros(priceMicros), currency };
}

async function leaseOne(ledger: Ledger, { runId, at }: Shopping, stage: BatchStage): Promise<Lease> {
  const [lease] = await ledger.leaseBatches({
    runId,
    limit: 1,
    now: at,
    leaseMs: LEASE_MS,
    maxWaitingPages: 1_000_000,
  });
  if (lease?.stage !== stage) {
    throw new Error(`expected a ${stage} batch, leased ${lease?.stage ?? "nothing"}`);
  }
  return lease;
}
