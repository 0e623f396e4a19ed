/** Kept sums of bookings: a statement says the same with and without them, whenever they were made. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openConnection } from "../../../src/ledger/sqlite/engine/connection.ts";
import { createLedgerCore } from "../../../src/ledger/sqlite/ledger-core.ts";
import { createSqliteLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { STATEMENT_GROUPINGS } from "../../../src/statement/statement.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { crawl } from "../../audit/crawling.ts";
import { createContent } from "../../doubles/ledger-shop.ts";
import { toSettlement } from "../../doubles/ledger-steps.ts";
import { copyNewLedger } from "../../doubles/new-ledger.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../../doubles/usage-outbox-driver.ts";

const NEVER = Number.MAX_SAFE_INTEGER;
const at = (text: string) => Date.parse(`${text}Z`);

/** @param sumEvery of each process that opens it, one after the other */
async function openSumming() {
  const directory = await mkdtemp(join(tmpdir(), "licet-sums-"));
  const path = join(directory, "licet.sqlite");
  await copyNewLedger(path);
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const open = (sumEvery: number) => {
    const db = openConnection(path);
    const core = createLedgerCore(db, path, systemClock, undefined, undefined, sumEvery);
    const ledger = createSqliteLedger(core);
    onTestFinished(() => ledger.close());
    return { ledger, db };
  };
  return { open };
}

/** Charges, doubts and their ends, late answers, indexed pages, and reports with and without receipts that differ: over three months and two sites. */
async function fillMonths(ledger: Ledger): Promise<void> {
  const pages = { "/a": "settled", "/b": "in_doubt", "/c": "in_doubt", "/d": "in_doubt", "/e": "in_doubt" } as const;
  const ids = await crawl(ledger, { runId: "october", at: at("2026-10-15T12:00"), pages, feeMicros: 150 });
  await crawl(ledger, { runId: "shop", at: at("2026-10-31T23:59"), pages: { "/f": "settled" }, host: "shop.example" });
  const quick = { intent: "indexing", format: "html", reportsFetch: false } as const;
  await crawl(ledger, { runId: "index", at: at("2026-11-01T12:00"), pages: { "/i": "settled" }, quick });
  const idOf = (path: string) => ids[path] ?? 0;
  await ledger.resolvePurchase({ purchaseId: idOf("/b"), charged: true, now: at("2026-11-02T09:00") });
  await ledger.resolvePurchase({ purchaseId: idOf("/c"), charged: false, now: at("2026-11-03T09:00") });
  const answer = (path: string, now: number) =>
    toSettlement(idOf(path), {
      now,
      feeMicros: toMicros(150),
      content: createContent(`https://news.example${path}`),
      charge: { micros: toMicros(9_000), currency: "USD" },
    });
  await ledger.settlePurchase(answer("/d", at("2026-11-04T09:00")));
  await reportUses(ledger, at("2026-11-05T09:00"), { totalUsePriceMicros: toMicros(44_000) });
  await ledger.settlePurchase(answer("/c", at("2026-12-24T09:00")));
  await reportUses(ledger, at("2026-12-25T09:00"));
  await crawl(ledger, { runId: "later", at: at("2026-12-26T12:00"), pages: { "/a": "settled", "/g": "settled" } });
}

async function reportUses(ledger: Ledger, now: number, receipt?: Parameters<typeof settle>[2]): Promise<void> {
  await recordUses(ledger, [createUse("/a", { times: 3, usedAt: now })], { now });
  const fence = await leaseFlusher(ledger, now);
  await settle(ledger, await freeze(ledger, fence, { now, idempotencyId: `report of ${now}` }), receipt);
  await ledger.releaseFlusher(fence);
}

/** Of each month and the whole, by each grouping, of all sites and of one. */
async function readAll(ledger: Ledger) {
  const months = ["2026-10-01", "2026-11-01", "2026-12-01", "2027-01-01"].map((day) => at(`${day}T00:00`));
  const ranges = months.slice(1).map((to, index) => ({ from: months[index] as number, to }));
  const facts = [...ranges, { from: at("2026-10-15T00:00"), to: at("2026-11-04T00:00") }].flatMap((range) =>
    STATEMENT_GROUPINGS.flatMap((by) =>
      [null, "news.example"].map(async (host) => {
        const { lastBookedAt: _, ...read } = await ledger.readStatement({ ...range, by, host });
        return read;
      }),
    ),
  );
  return Promise.all(facts);
}

const SELECT_SUMMED = "SELECT coalesce(max(until_seq), 0) FROM booking_sum";
const SELECT_BOOKED = "SELECT max(seq) FROM booking";

test.each([1, 2, 3, 5])("a statement is the same where %i bookings are added up at once", async (sumEvery) => {
  const plain = (await openSumming()).open(NEVER);
  const summing = (await openSumming()).open(sumEvery);
  await fillMonths(plain.ledger);
  await fillMonths(summing.ledger);
  const value = (sql: string) => summing.db.prepare<[], number>(sql).pluck().get();
  expect(plain.db.prepare(SELECT_SUMMED).pluck().get()).toBe(0);
  expect(value(SELECT_SUMMED)).toBeGreaterThan((value(SELECT_BOOKED) ?? 0) - 2 * sumEvery - 2);
  expect(await readAll(summing.ledger)).toEqual(await readAll(plain.ledger));
  expect((await summing.ledger.audit({ budgets: [], now: at("2027-01-01T00:00") })).violations).toEqual([]);
});

test("what a process left behind that never added up is added up by the next one, and is not read again", async () => {
  const { open } = await openSumming();
  const first = open(NEVER);
  await fillMonths(first.ledger);
  const before = await readAll(first.ledger);
  const { ledger, db } = open(4);
  await crawl(ledger, { runId: "next", at: at("2027-02-01T12:00"), pages: { "/n1": "settled", "/n2": "settled" } });
  await crawl(ledger, { runId: "last", at: at("2027-02-02T12:00"), pages: { "/n3": "settled", "/n4": "settled" } });
  expect(db.prepare(SELECT_SUMMED).pluck().get()).toBeGreaterThan(3);
  expect(await readAll(ledger)).toEqual(before);
  // A statement takes the sums as they stand: the audit alone reads what they are of.
  db.exec("UPDATE booking_sum SET charged_micros = charged_micros + 1 WHERE id = 1");
  expect(await readAll(ledger)).not.toEqual(before);
  const audit = async () => {
    const { violations } = await ledger.audit({ budgets: [], now: at("2027-03-01T00:00") });
    return violations.map(({ detail }) => detail);
  };
  expect(await audit()).toEqual([expect.stringContaining("the kept sums of the day 2026-10-15 say of charged")]);
  db.exec("UPDATE booking_sum SET charged_micros = charged_micros - 1, until_seq = 999 WHERE id = 1");
  expect(await audit()).toEqual(
    expect.arrayContaining([
      expect.stringContaining("kept sums go up to booking 999, and there are"),
      expect.stringContaining("the kept sum 2 goes back to booking"),
    ]),
  );
});
