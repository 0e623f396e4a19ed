import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { hashContent } from "../../../src/content/content-hash.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { PurgeRequest } from "../../../src/ledger/rights-ledger.ts";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { type ExpiryPolicies, toExpiryPolicies } from "../../../src/rights/rights.ts";
import { NOON, startPages } from "../../doubles/ledger-shop.ts";
import { toSettlement } from "../../doubles/ledger-steps.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

const DAY_MS = 86_400_000;
const PURGE: ExpiryPolicies = { standard: { retentionMs: DAY_MS, onExpiry: "purge" } };
const HOST = "news.example";

/** A text that is in the file only as long as the page's content is. */
function markerOf(path: string): string {
  return `marker:${path.slice(1)}:`;
}

/** Buys pages whose texts have every size, settled in an order that makes SQLite move rows between its pages. */
async function buyMarked(ledger: Ledger, paths: readonly string[], at: number, runId: string): Promise<void> {
  const purchases = await startPages(ledger, { host: HOST, paths, at, runId, format: "both" });
  const mixed = [...purchases].sort((a, b) => ((a.purchaseId * 7_919) % 101) - ((b.purchaseId * 7_919) % 101));
  for (const { purchaseId, url } of mixed) {
    const marker = markerOf(new URL(url).pathname);
    const html = marker.repeat(1 + ((purchaseId * 37) % 900));
    await ledger.settlePurchase({
      purchaseId,
      now: at,
      charge: null,
      feeMicros: toMicros(0),
      content: {
        markdown: null,
        html,
        header: `${marker}h`,
        footer: null,
        author: `${marker}a`,
        description: `${marker}d`,
        imageUrl: `https://${HOST}/${marker}.png`,
        modified: null,
        published: null,
        title: `${marker}t`,
        contentHash: hashContent({ header: `${marker}h`, body: html, footer: "" }),
        conversionFailure: null,
      },
      requestId: null,
      flaws: [],
      isEmpty: false,
    });
    await ledger.recordMarkdown({ purchaseId, markdown: `${marker}m`.repeat(1 + (purchaseId % 400)), failure: null });
  }
  await ledger.endRun({ runId, state: "completed", reason: null, now: at });
}

function request(query: Partial<PurgeRequest> = {}): PurgeRequest {
  return { policies: PURGE, hosts: null, named: null, now: NOON, dryRun: false, limit: 10, ...query };
}

/** The paths whose text is readable somewhere in the ledger's files. */
function findReadable(path: string, paths: readonly string[]): string[] {
  const bytes = ["", "-wal", "-shm"].map((suffix) => {
    try {
      return readFileSync(path + suffix, "latin1");
    } catch {
      return "";
    }
  });
  return paths.filter((one) => bytes.some((text) => text.includes(markerOf(one))));
}

const list = (name: string, count: number) => Array.from({ length: count }, (_, index) => `/${name}-${index}-x`);
const OLD = list("old", 120);
const NEW = list("new", 120);

async function fill(ledger: Ledger): Promise<void> {
  await buyMarked(ledger, OLD.slice(0, 60), NOON - 2 * DAY_MS, "run_1");
  await buyMarked(ledger, NEW.slice(0, 60), NOON, "run_2");
  await buyMarked(ledger, OLD.slice(60), NOON - 2 * DAY_MS, "run_3");
  await buyMarked(ledger, NEW.slice(60), NOON, "run_4");
}

describe("a purge", () => {
  it("leaves no byte of the texts in the file and its log, and keeps the evidence", async () => {
    const { ledger, path } = await openTempLedger();
    await fill(ledger);
    expect(findReadable(path, [...OLD, ...NEW])).toHaveLength(240);

    expect(await ledger.purge(request({ dryRun: true }))).toMatchObject({ versions: 120, bySite: { [HOST]: 120 } });
    expect(findReadable(path, OLD)).toHaveLength(120);
    const purged = await ledger.purge(request());
    expect(purged).toMatchObject({ versions: 120, bySite: { [HOST]: 120 }, unknown: [] });
    expect(purged.examples).toHaveLength(10);
    expect(purged.examples[0]).toMatchObject({ endedAt: NOON - DAY_MS, why: "retention" });
    expect(await ledger.cleanFile({ maxBytes: null })).toMatchObject({ state: "cleaned" });

    expect(findReadable(path, OLD)).toEqual([]);
    expect(findReadable(path, NEW)).toHaveLength(120);
    expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true, violations: [] });
    expect(await ledger.readPage(`https://${HOST}${OLD[0]}`)).toMatchObject({
      stored: { license: {} },
      purchases: [{}],
    });
    expect(await ledger.purge(request())).toMatchObject({ versions: 0 });
    expect(await ledger.cleanFile({ maxBytes: null })).toEqual({ state: "clean" });
  });

  it("that was cut off before the file was cleaned is finished by the next process", async () => {
    const { ledger: first, path } = await openTempLedger();
    await fill(first);
    await first.purge(request());
    const second = await openSqliteLedger({ path });
    onTestFinished(() => second.close());
    expect(await second.purge(request())).toMatchObject({ versions: 0 });
    expect(await second.cleanFile({ maxBytes: 1 })).toMatchObject({ state: "due", since: NOON, why: "in_use" });
    expect(await second.cleanFile({ maxBytes: null })).toMatchObject({ state: "cleaned" });
    expect(findReadable(path, OLD)).toEqual([]);
    // The process that had the file open all the time writes on.
    await buyMarked(first, ["/later"], NOON, "run_5");
    expect(findReadable(path, OLD)).toEqual([]);
  });

  it("says that old text may be readable while another process reads, and cleans the file after it", async () => {
    const { ledger, path } = await openTempLedger();
    await fill(ledger);
    const reader = new Database(path, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM content").get();
    await ledger.purge(request());
    expect(await ledger.cleanFile({ maxBytes: null })).toMatchObject({ state: "due", why: "in_use" });
    expect(findReadable(path, OLD)).not.toEqual([]);
    reader.exec("COMMIT");
    reader.close();
    expect(await ledger.cleanFile({ maxBytes: null })).toMatchObject({ state: "cleaned" });
    expect(findReadable(path, OLD)).toEqual([]);
  });

  it("removes what an earlier licet, which overwrote nothing, left in free pages", async () => {
    const { ledger, path } = await openTempLedger();
    await fill(ledger);
    const other = new Database(path);
    other.pragma("secure_delete = OFF");
    other.exec("CREATE TABLE scratch AS SELECT html FROM content; DROP TABLE scratch");
    other.close();
    await ledger.purge(request());
    await ledger.cleanFile({ maxBytes: null });
    expect(findReadable(path, OLD)).toEqual([]);
  });

  it("leaves what its policy keeps, although its rights ended and another policy purges", async () => {
    const { ledger } = await openTempLedger();
    await buyMarked(ledger, ["/kept"], NOON - 3 * DAY_MS, "kept");
    const policies: ExpiryPolicies = {
      standard: { retentionMs: DAY_MS, onExpiry: "keep" },
      other: { retentionMs: DAY_MS, onExpiry: "purge" },
    };
    expect((await ledger.purge(request({ policies }))).versions).toBe(0);
    expect((await ledger.purge(request())).versions).toBe(1);
  });

  it("counts the retention from when the content was stored, also of a charge that a person confirmed before", async () => {
    const { ledger } = await openTempLedger();
    const [late] = await startPages(ledger, { host: HOST, paths: ["/late"], at: NOON - 3 * DAY_MS, runId: "late" });
    const purchaseId = late?.purchaseId ?? 0;
    const doubtAt = NOON - 3 * DAY_MS + 1;
    await ledger.holdInDoubt({ purchaseId, reason: "unanswered", detail: "no answer", now: doubtAt });
    await ledger.resolvePurchase({ purchaseId, charged: true, now: NOON - 2 * DAY_MS });
    await ledger.settlePurchase(toSettlement(purchaseId, { now: NOON - DAY_MS / 2 }));
    expect((await ledger.purge(request())).versions).toBe(0);
    expect((await ledger.purge(request({ now: NOON + DAY_MS / 2 - 1 }))).versions).toBe(0);
    expect(await ledger.purge(request({ now: NOON + DAY_MS / 2 }))).toMatchObject({
      versions: 1,
      examples: [{ endedAt: NOON + DAY_MS / 2, why: "retention" }],
    });
  });

  it("counts it so also of an older version, whose content came after a newer one was stored", async () => {
    const { ledger } = await openTempLedger();
    const [late] = await startPages(ledger, { host: HOST, paths: ["/late"], at: NOON - 5 * DAY_MS, runId: "late" });
    const purchaseId = late?.purchaseId ?? 0;
    await ledger.holdInDoubt({ purchaseId, reason: "unanswered", detail: "no answer", now: NOON - 5 * DAY_MS + 1 });
    await ledger.resolvePurchase({ purchaseId, charged: true, now: NOON - 4 * DAY_MS });
    await ledger.endRun({ runId: "late", state: "completed", reason: null, now: NOON - 4 * DAY_MS });
    await buyMarked(ledger, ["/late"], NOON - 3 * DAY_MS, "newer");
    const askedAt = NOON - DAY_MS / 2 - 1;
    const validUntilAt = NOON + 2 * DAY_MS;
    await ledger.settlePurchase(toSettlement(purchaseId, { now: NOON - DAY_MS / 2, askedAt, validUntilAt }));
    const asked = await ledger.purge(request());
    expect(asked.examples).toMatchObject([{ endedAt: NOON - 2 * DAY_MS }]);
    expect(asked.examples.map((version) => version.purchaseId)).not.toContain(purchaseId);
    expect(await ledger.readDocument(purchaseId)).toMatchObject({ boughtAt: askedAt, validUntilAt });
    expect(await ledger.purge(request({ now: askedAt + DAY_MS }))).toMatchObject({
      examples: [{ purchaseId, endedAt: askedAt + DAY_MS, why: "retention" }],
    });
    expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true });
  });

  it("leaves what another configuration bought under a policy of the same name", async () => {
    const { ledger } = await openTempLedger();
    await buyMarked(ledger, ["/a"], NOON - 3 * DAY_MS, "run_a");
    const policies = (hosts: readonly string[]) =>
      toExpiryPolicies(
        [{ name: "standard", retentionMs: DAY_MS, onExpiry: "purge" }],
        hosts.map((host) => ({ host })),
      );
    expect((await ledger.purge(request({ policies: policies(["other.example"]) }))).versions).toBe(0);
    expect((await ledger.purge(request({ policies: policies([HOST]) }))).versions).toBe(1);
  });

  it("of a named page takes every version out, whatever its rights, and says which pages it does not know", async () => {
    const { ledger, path } = await openTempLedger();
    await fill(ledger);
    const [named = ""] = NEW;
    const urls = [`https://${HOST}${named}`, `https://${HOST}/never-bought`];
    const result = await ledger.purge(request({ policies: {}, named: { urls, reason: "letter of 3 May" } }));
    expect(result).toMatchObject({ versions: 1, unknown: [urls[1]], examples: [{ url: urls[0], why: "named" }] });
    await ledger.cleanFile({ maxBytes: null });
    expect(findReadable(path, [...OLD, ...NEW])).toHaveLength(239);
    expect(findReadable(path, [named])).toEqual([]);
    expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true });
  });
});
