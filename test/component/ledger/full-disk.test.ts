import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openConnection } from "../../../src/ledger/sqlite/engine/connection.ts";
import { loadMigrations, migrate } from "../../../src/ledger/sqlite/engine/migrations.ts";
import { createLedgerCore } from "../../../src/ledger/sqlite/ledger-core.ts";
import { createSqliteLedger } from "../../../src/ledger/sqlite/sqlite-ledger.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { createContent, NOON } from "../../doubles/ledger-shop.ts";
import { openAcquire, readTotal, reserve, start, toSettlement } from "../../doubles/ledger-steps.ts";

const LARGE_BODY = "x".repeat(1_000_000);
/** Enough room for bookkeeping, not for the body. */
const PAGES_LEFT = 20;

describe("a disk that is nearly full", () => {
  it("starts no purchase, and allows started purchases to settle", async () => {
    const directory = mkdtempSync(join(tmpdir(), "licet-full-"));
    const path = join(directory, "licet.sqlite");
    const db = openConnection(path);
    migrate(db, loadMigrations(), path);
    const roomy = createSqliteLedger(createLedgerCore(db, path, systemClock));
    const full = createSqliteLedger(createLedgerCore(db, path, systemClock, Number.MAX_SAFE_INTEGER));
    onTestFinished(async () => {
      await roomy.close();
      rmSync(directory, { recursive: true, force: true });
    });
    await reserve(roomy, ["/a", "/b"]);
    const { leaseId, purchases } = await openAcquire(roomy);
    const [first = 0, second = 0] = purchases.map(({ purchaseId }) => purchaseId);
    await start(roomy, leaseId, first);
    await expect(start(full, leaseId, second)).rejects.toMatchObject({ code: "DISK_FULL", details: { path } });
    await expect(full.checkRoom()).rejects.toMatchObject({ code: "DISK_FULL" });
    expect(await full.settlePurchase(toSettlement(first))).toMatchObject({ outcome: "settled" });
    expect((await full.openAcquireBatch(leaseId))?.purchases).toMatchObject([
      { purchaseId: second, state: "reserved" },
    ]);
  });
});

describe("a full disk", () => {
  it("makes the settlement fail, keeps the purchase started, and settles it once there is space", async () => {
    const directory = mkdtempSync(join(tmpdir(), "licet-full-"));
    const path = join(directory, "licet.sqlite");
    const db = openConnection(path);
    migrate(db, loadMigrations(), path);
    const ledger = createSqliteLedger(createLedgerCore(db, path, systemClock));
    onTestFinished(async () => {
      await ledger.close();
      rmSync(directory, { recursive: true, force: true });
    });
    await reserve(ledger, ["/a"]);
    const { leaseId, purchases } = await openAcquire(ledger);
    const purchaseId = purchases[0]?.purchaseId ?? 0;
    await start(ledger, leaseId, purchaseId);

    const pages = db.pragma("page_count", { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + PAGES_LEFT}`);
    const settlement = toSettlement(purchaseId, {
      content: createContent(`https://news.example/${LARGE_BODY}`),
    });
    await expect(ledger.settlePurchase(settlement)).rejects.toMatchObject({
      code: "DISK_FULL",
      retry: "later",
      details: { path },
    });
    expect(await readTotal(ledger)).toEqual({ spentMicros: 0, inDoubtMicros: 0, reservedMicros: 10_000 });
    expect((await ledger.openAcquireBatch(leaseId))?.purchases).toMatchObject([
      { state: "started", token: { token: `token-${purchaseId}` } },
    ]);

    db.pragma("max_page_count = 1073741823");
    expect(await ledger.settlePurchase(settlement)).toEqual({ outcome: "settled", stopped: null });
    expect(await readTotal(ledger)).toEqual({ spentMicros: 10_000, inDoubtMicros: 0, reservedMicros: 0 });
    expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
  });
});
