/** Drives the outbox of a ledger through its port, the way `report` does. */
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { FrozenReport, RecordedUse, UsageEntry, UseRecord } from "../../src/ledger/usage-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import type { Receipt } from "../../src/usage/receipt.ts";
import type { ReportingTerms } from "../../src/usage/use.ts";
import { LEASE_MS, NO_LIMIT, NOON } from "./ledger-shop.ts";
import { readTotal } from "./ledger-steps.ts";

export const WINDOW_MS = 24 * 60 * 60 * 1000;
export const REPORT_ALL: ReportingTerms = { kinds: ["fetch", "use"], billed: ["use"] };

export function createUse(path: string, changes: Partial<UseRecord> = {}): UseRecord {
  return { url: `https://news.example${path}`, times: 1, usedAt: NOON, terms: null, key: null, ...changes };
}

export function recordUses(
  ledger: Ledger,
  uses: readonly UseRecord[],
  changes: Partial<Parameters<Ledger["recordUses"]>[0]> = {},
): Promise<readonly RecordedUse[]> {
  return ledger.recordUses({
    uses,
    terms: null,
    defaultTerms: REPORT_ALL,
    budgets: [NO_LIMIT],
    expiry: {},
    now: NOON,
    ...changes,
  });
}

/** Takes the flusher's lease. @throws when another holds it */
export async function leaseFlusher(ledger: Ledger, now = NOON): Promise<number> {
  const lease = await ledger.leaseFlusher({ now, leaseMs: LEASE_MS });
  if (lease === null) {
    throw new Error("the flusher's lease is taken");
  }
  return lease.fence;
}

/** Freezes a batch that must have something in it. */
export async function freeze(
  ledger: Ledger,
  fence: number,
  changes: Partial<Parameters<Ledger["freezeReport"]>[0]> = {},
): Promise<FrozenReport> {
  const batch = await ledger.freezeReport({
    fence,
    idempotencyId: "batch-1",
    maxEntries: 100,
    licenseIdField: "licenseCuid",
    now: NOON,
    ...changes,
  });
  if (batch === null) {
    throw new Error("nothing was frozen");
  }
  return batch;
}

/** The receipt that a correct gateway gives for an entry. */
export function createReceipt(
  { url, timesUsed, licenseType, licenseCuid, expectedUnitMicros, currency }: UsageEntry,
  changes: Partial<Receipt> = {},
): Receipt {
  const totalUsePriceMicros = toMicros(expectedUnitMicros * timesUsed);
  return {
    url,
    perUnitPriceMicros: expectedUnitMicros,
    totalUsePriceMicros,
    currency,
    licenseType,
    licenseCuid,
    ...changes,
  };
}

/** Settles a batch as a correct gateway's answer would, with `changes` to each receipt. */
export async function settle(ledger: Ledger, batch: FrozenReport, changes: Partial<Receipt> = {}): Promise<boolean> {
  const receipts = batch.entries.map((entry) => ({ entryId: entry.entryId, receipt: createReceipt(entry, changes) }));
  const settlement = { reportId: batch.reportId, receipts, surplus: [], unreadable: 0, now: NOON };
  return (await ledger.settleReport(settlement)) !== null;
}

export function readBody(batch: FrozenReport): {
  readonly idempotencyId: string;
  readonly usage: readonly Record<string, unknown>[];
} {
  return JSON.parse(new TextDecoder().decode(batch.body)) as ReturnType<typeof readBody>;
}

/** Everything that counts, in USD. */
export function readSpend(ledger: Ledger) {
  return readTotal(ledger);
}
