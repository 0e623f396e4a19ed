import { copyFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { type Crawl, crawl, NOON } from "../../audit/crawling.ts";
import { NO_LIMIT } from "../../doubles/ledger-shop.ts";
import {
  decideBatch,
  leaseMany,
  readTotal,
  reserve,
  resumeRun,
  toEntry,
  toSettlement,
  toSpec,
  walkPage,
} from "../../doubles/ledger-steps.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../../doubles/usage-outbox-driver.ts";
import { writeOlderLedger } from "./older-ledger.ts";

const [LOWER, UPPER] = ["/caf%c3%a9", "/caf%C3%A9"];
const ESCAPED = "/%7Euser";
const CANONICAL = `https://news.example${UPPER}`;
const HOUR_MS = 3_600_000;

/** What stood in the ledger, by table, to be found again after the migration. */
const FACTS = [
  "SELECT id, url, state, charged_micros, quoted_micros, token, reserved_at FROM purchase ORDER BY id",
  "SELECT purchase_id, content_hash, title FROM content ORDER BY purchase_id",
  "SELECT id, purchase_id, kind, times, state, entry_id FROM use ORDER BY id",
  "SELECT id, wire_url, times FROM usage_entry ORDER BY id",
  "SELECT idempotency_id, body FROM usage_batch ORDER BY id",
  "SELECT scope, period, currency, settled_micros, in_doubt_micros, reserved_micros FROM balance ORDER BY 1, 2, 3",
];

interface Migrated {
  readonly ledger: Ledger;
  readonly query: <Row>(sql: string) => Row[];
  reopen(): Promise<Ledger>;
}

/** Fills a ledger, writes it down in the released schema, and opens it with the present program. */
async function migrated(fill: (ledger: Ledger) => Promise<unknown>): Promise<Migrated> {
  const filled = await openTempLedger();
  await fill(filled.ledger);
  // Purchases keep the spelling that the released schema had in their pages.
  const facts = FACTS.map((sql) => filled.query(sql));
  await filled.ledger.close();
  const path = writeOlderLedger(filled.path, 1);
  const query = <Row>(sql: string): Row[] => {
    const db = new Database(path, { readonly: true });
    try {
      return db.prepare<[], Row>(sql).all();
    } finally {
      db.close();
    }
  };
  let ledger = await openSqliteLedger({ path });
  onTestFinished(() => ledger.close());
  expect(FACTS.map((sql) => query(sql))).toEqual(facts);
  expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
  return {
    get ledger() {
      return ledger;
    },
    query,
    async reopen() {
      await ledger.close();
      ledger = await openSqliteLedger({ path });
      return ledger;
    },
  };
}

const buy = (ledger: Ledger, number: number, pages: Crawl["pages"], more: Partial<Crawl> = {}) =>
  crawl(ledger, { runId: `run_${number}`, at: NOON + number * HOUR_MS, pages, ...more });

/** A run that finds no budget for these pages. */
async function deny(ledger: Ledger, number: number, paths: readonly string[]): Promise<void> {
  const [runId, now] = [`run_${number}`, NOON + number * HOUR_MS];
  const refresh = { when: "always", maxAgeMs: null } as const;
  await reserve(ledger, paths, { runId, now, refresh, budgets: [{ ...NO_LIMIT, currency: "EUR" }] });
  await ledger.endRun({ runId, state: "completed", reason: null, now });
}

const readPages = (query: Migrated["query"]) =>
  query(
    `SELECT url, wire_url AS wire, CASE WHEN spelling_of IS NULL THEN NULL WHEN is_merged = 1 THEN 'merged' ELSE 'waits' END AS "left"
     FROM page ORDER BY url`,
  );

describe("a ledger with two spellings of one page", () => {
  test("has one page afterwards, with the first spelling and all that was bought, used and reported", async () => {
    const { ledger, query, reopen } = await migrated(async (old) => {
      await buy(old, 1, { [LOWER]: "settled", "/b": "settled", [ESCAPED]: "settled" });
      await buy(old, 2, { [UPPER]: "settled" });
      await buy(old, 3, { "/caf%c3%A9": "settled", "/~user": "released" });
      await recordUses(old, [createUse(LOWER, { times: 2 }), createUse(UPPER, { times: 3 })]);
      const fence = await leaseFlusher(old);
      const batch = await freeze(old, fence, { idempotencyId: "reported" });
      await old.recordAttempt({ fence, reportId: batch.reportId, now: NOON });
      await settle(old, batch);
      await old.releaseFlusher(fence);
    });
    expect(readPages(query)).toEqual([
      { url: "https://news.example/%7Euser", wire: null, left: "merged" },
      { url: "https://news.example/b", wire: null, left: null },
      { url: `https://news.example${UPPER}`, wire: `https://news.example${LOWER}`, left: null },
      { url: "https://news.example/caf%c3%A9", wire: null, left: "merged" },
      { url: `https://news.example${LOWER}`, wire: null, left: "merged" },
      { url: "https://news.example/~user", wire: "https://news.example/%7Euser", left: null },
    ]);
    const page = await ledger.readPage(CANONICAL);
    expect(page?.purchases.map(({ state }) => state)).toEqual(["settled", "settled", "settled"]);
    expect(page?.stored?.purchaseId).toBe(Math.max(...(page?.purchases.map(({ purchaseId }) => purchaseId) ?? [])));
    // Nothing is left to do the second time.
    const before = query("SELECT * FROM page");
    await reopen();
    expect(query("SELECT * FROM page")).toEqual(before);
  });

  test("does not buy the other spelling of a page that is stored or in doubt", async () => {
    const { ledger } = await migrated(async (old) => {
      await buy(old, 1, { [LOWER]: "settled", [ESCAPED]: "in_doubt" });
    });
    await ledger.createRun(toSpec({ runId: "next", startedAt: NOON + 9 * HOUR_MS }));
    await walkPage(ledger, { runId: "next", entries: [toEntry(UPPER), toEntry("/~user")] });
    expect(await decideBatch(ledger, { runId: "next" })).toMatchObject({ approved: 0, denied: { in_doubt: 1 } });
  });

  test("still accounts for each page that a run had seen: bought twice, denied twice, bought and denied", async () => {
    const { query } = await migrated(async (old) => {
      await buy(old, 1, { [LOWER]: "settled", [UPPER]: "settled" });
      await deny(old, 2, [LOWER, UPPER]);
      await buy(old, 3, { [LOWER]: "settled" });
      await buy(old, 4, { [LOWER]: "in_doubt", [ESCAPED]: "settled" });
      await buy(old, 5, { [LOWER]: "settled", [UPPER]: "settled", "/~user": "settled" });
    });
    expect(
      query(
        "SELECT r.name, t.kind, t.reason, t.count FROM tally t JOIN run r ON r.id = t.run_id WHERE t.kind IN ('merged', 'pruned') ORDER BY 1",
      ),
    ).toEqual([
      { name: "run_1", kind: "merged", reason: "", count: 1 },
      { name: "run_2", kind: "pruned", reason: "no_budget_in_currency", count: 1 },
      { name: "run_5", kind: "merged", reason: "", count: 1 },
    ]);
  });

  test("keeps two open purchases separate, buys neither page again, and merges them when one has ended", async () => {
    const { ledger, query, reopen } = await migrated(async (old) => {
      await buy(old, 1, { [LOWER]: "started" }, { end: null });
      await buy(old, 2, { [UPPER]: "started" }, { end: null });
    });
    expect(readPages(query)).toEqual([
      { url: CANONICAL, wire: null, left: null },
      { url: `https://news.example${LOWER}`, wire: null, left: "waits" },
    ]);
    expect(await readTotal(ledger)).toMatchObject({
      reservedMicros: 20_000,
    });
    // The one that the catalog can still name ends; the other one is under way.
    const [first, second] = query<{ id: number }>("SELECT id FROM purchase ORDER BY id").map(({ id }) => id);
    await ledger.releasePurchase({ purchaseId: second ?? 0, reason: "content_refused", detail: "403", now: NOON });
    await ledger.createRun(toSpec({ runId: "next", startedAt: NOON + 9 * HOUR_MS }));
    await walkPage(ledger, { runId: "next", entries: [toEntry(UPPER)] });
    expect(await decideBatch(ledger, { runId: "next" })).toMatchObject({ approved: 0, denied: { already_open: 1 } });
    const again = await reopen();
    expect(readPages(query)).toEqual([
      { url: CANONICAL, wire: `https://news.example${LOWER}`, left: null },
      { url: `https://news.example${LOWER}`, wire: null, left: "merged" },
    ]);
    await again.settlePurchase(toSettlement(first ?? 0));
    expect((await again.readPage(CANONICAL))?.stored?.purchaseId).toBe(first);
    expect(await again.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
  });

  test("keeps the pages that a resumable run has seen, and buys only one of them", async () => {
    const { ledger, query, reopen } = await migrated(async (old) => {
      await old.createRun(toSpec({ runId: "run_1" }));
      await walkPage(old, { runId: "run_1", entries: [toEntry(LOWER), toEntry(UPPER), toEntry("/b")] });
      await old.endRun({ runId: "run_1", state: "interrupted", reason: "SIGINT", now: NOON });
    });
    expect(readPages(query)).toContainEqual(expect.objectContaining({ left: "waits" }));
    await resumeRun(ledger);
    expect(await decideBatch(ledger, { runId: "run_1" })).toMatchObject({ approved: 2, denied: { already_open: 1 } });
    expect(await leaseMany(ledger, { runId: "run_1" })).toMatchObject([{ stage: "acquire" }]);
    await ledger.endRun({ runId: "run_1", state: "max_duration", reason: "time is up", now: NOON });
    const again = await reopen();
    expect(readPages(query)).not.toContainEqual(expect.objectContaining({ left: "waits" }));
    expect(await again.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
  });
});

test("a migration that is cut off leaves the ledger as it was, and the next one completes it", async () => {
  const filled = await openTempLedger();
  await buy(filled.ledger, 1, { [LOWER]: "settled", [UPPER]: "in_doubt" });
  await filled.ledger.close();
  const path = writeOlderLedger(filled.path, 1);
  const broken = `${path}.broken`;
  copyFileSync(path, broken);
  const db = new Database(broken);
  db.exec("CREATE TRIGGER cut BEFORE UPDATE ON page BEGIN SELECT RAISE(ABORT, 'cut off'); END");
  db.close();
  await expect(openSqliteLedger({ path: broken })).rejects.toThrow();
  const left = new Database(broken);
  expect(left.pragma("user_version", { simple: true })).toBe(1);
  expect(left.prepare("SELECT count(*) FROM page").pluck().get()).toBe(2);
  left.exec("DROP TRIGGER cut");
  left.close();
  const ledger = await openSqliteLedger({ path: broken });
  try {
    expect((await ledger.readPage(CANONICAL))?.purchases).toHaveLength(2);
  } finally {
    await ledger.close();
  }
});
