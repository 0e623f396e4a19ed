/** Short functions for the steps of a crawl in a ledger, so that a scenario is easy to read. */
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Settlement } from "../../src/ledger/purchase-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { createContent, NOON, ON_DEMAND } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  openAcquire,
  type QuickDecision,
  start,
  toApproval,
  toEntry,
  toSettlement,
  toSite,
  toSpec,
  type WalkPage,
  walkPage,
} from "../doubles/ledger-steps.ts";

export const DAY_MS = 86_400_000;
const ISO_DAY = (at: number) => new Date(at).toISOString();

/** What becomes of a page that was reserved; an object: settled so. */
type Fate = "settled" | "in_doubt" | "released" | "started" | "reserved" | Partial<Settlement>;

export interface Crawl {
  readonly runId: string;
  readonly at: number;
  readonly host?: string;
  /** By path. Each is listed by the catalog, decided and bought so. */
  readonly pages: Readonly<Record<string, Fate>>;
  readonly priceMicros?: number;
  readonly currency?: string;
  readonly licenseType?: string;
  readonly cuid?: string;
  readonly feeMicros?: number;
  readonly useReserveMicros?: number;
  readonly quick?: QuickDecision;
  readonly walk?: Partial<WalkPage>;
  /** How far the catalog dates its pages back; null: it does not date them. */
  readonly lastModAt?: number;
  /** @default "completed"; null: the run goes on. */
  readonly end?: Parameters<Ledger["endRun"]>[0]["state"] | null;
}

/** One run over one site. @returns the ids of its purchases by path */
export async function crawl(ledger: Ledger, plan: Crawl): Promise<Record<string, number>> {
  const { runId, at, host = "news.example", end = "completed", quick = {} } = plan;
  const spec = { runId, startedAt: at, sites: [toSite({ host, fullWalkEveryMs: 7 * DAY_MS, overlapMs: 1_000 })] };
  await ledger.createRun(toSpec(spec));
  await walkPage(ledger, {
    runId,
    now: at,
    entries: Object.keys(plan.pages).map((path) => toDatedEntry(path, host, plan.lastModAt)),
    refresh: { when: "always", maxAgeMs: null },
    intent: quick.intent ?? "content",
    ...plan.walk,
  });
  const bought = await decideAndBuy(ledger, plan);
  if (end !== null) {
    await ledger.endRun({ runId, state: end, reason: end === "completed" ? null : "as asked", now: at + 60_000 });
  }
  return bought;
}

export function toDatedEntry(path: string, host = "news.example", lastModAt?: number) {
  const dated = lastModAt === undefined ? {} : { lastMod: ISO_DAY(lastModAt), lastModAt };
  return toEntry(path, dated, host);
}

async function decideAndBuy(ledger: Ledger, plan: Crawl): Promise<Record<string, number>> {
  const { runId, at, feeMicros = 0, useReserveMicros = 0, quick = {} } = plan;
  const rate = quick.intent === "indexing" ? null : toListedRate(plan);
  await decideBatch(ledger, {
    runId,
    now: at,
    refresh: { when: "always", maxAgeMs: null },
    decisions: (ids) => ids.map((id) => toApproval(id, rate, { feeMicros, useReserveMicros })),
    ...quick,
  });
  if (Object.keys(plan.pages).length === 0) {
    return {};
  }
  const { leaseId, purchases } = await openAcquire(ledger, { runId, now: at });
  const ids: Record<string, number> = {};
  for (const { purchaseId, url, format } of purchases) {
    const path = new URL(url).pathname;
    ids[path] = purchaseId;
    const fate = plan.pages[path] ?? "settled";
    if (fate === "reserved") {
      continue;
    }
    await start(ledger, leaseId, purchaseId, at + 1_000);
    const now = at + 2_000 + purchaseId;
    if (fate === "in_doubt") {
      await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "no answer", now });
    } else if (fate === "released") {
      await ledger.releasePurchase({ purchaseId, reason: "content_refused", detail: "403", now });
    } else if (fate !== "started") {
      const settlement = fate === "settled" ? {} : fate;
      await ledger.settlePurchase(
        toSettlement(purchaseId, {
          now,
          feeMicros: toMicros(feeMicros),
          content: createContent(url, format),
          requestId: `request-${purchaseId}`,
          ...settlement,
        }),
      );
    }
  }
  await ledger.finishAcquireBatch(leaseId);
  return ids;
}

function toListedRate({ priceMicros = 10_000, currency = "USD", licenseType = "ON_DEMAND_LICENSE", cuid }: Crawl) {
  const license = { ...ON_DEMAND, licenseType, cuid: cuid ?? ON_DEMAND.cuid };
  return { license, price: { micros: toMicros(priceMicros), currency }, error: null, validUntilAt: null };
}

/** A run that has begun to read a long catalog: a page token, quote batches ready and filling, purchases reserved and started. */
export async function beginLongCrawl(ledger: Ledger, runId: string, at: number, host: string): Promise<void> {
  await ledger.createRun(toSpec({ runId, startedAt: at, sites: [toSite({ host })] }));
  const read = (numbers: readonly number[], nextPageToken: string) =>
    walkPage(ledger, {
      runId,
      now: at,
      entries: numbers.map((number) => toDatedEntry(`/long/${number}`, host)),
      nextPageToken,
      quoteBatchSize: 3,
    });
  await read([1, 2, 3], "second");
  const rate = toListedRate({ runId, at, pages: {}, priceMicros: 7_500 });
  await decideBatch(ledger, {
    runId,
    now: at,
    acquireBatchSize: 2,
    decisions: (ids) => ids.map((id) => toApproval(id, rate)),
  });
  const { leaseId, purchases } = await openAcquire(ledger, { runId, now: at });
  await start(ledger, leaseId, purchases[0]?.purchaseId ?? 0, at);
  // The second acquire batch waits: a site has to show first what it charges. The next lease is of the walk.
  await read([4, 5, 6, 7], "third");
}

export { NOON };
