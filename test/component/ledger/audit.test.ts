import { beforeAll, describe, expect, it } from "vitest";
import { toMicros } from "../../../src/money/micros.ts";
import { auditAfter, createLedgerBytes, fillLedger } from "../../audit/audited-world.ts";
import { buyPages, createContent, NOON, startPages } from "../../doubles/ledger-shop.ts";
import { BREAKS } from "./audit-breaks.ts";

let full: Buffer;
beforeAll(async () => {
  full = await createLedgerBytes(fillLedger);
});

describe("audit", () => {
  it("finds nothing in a ledger with every kind of event", () => {
    expect(auditAfter(full, "")).toEqual({
      ok: true,
      violations: [],
      openItems: [],
      totals: {
        openItems: 0,
        purchases: { reserved: 0, started: 1, settled: 4, released: 1, in_doubt: 1 },
        spend: { USD: { settledMicros: 60_000, inDoubtMicros: 10_000, reservedMicros: 20_000, feeMicros: 200 } },
        uses: { recorded: 4, reported: 3, pending: 1 },
        reportedMicros: { USD: 50_000 },
        documents: 4,
      },
    });
  });

  it("finds nothing in an empty ledger", async () => {
    const { ok, totals } = auditAfter(await createLedgerBytes(async () => {}), "");
    expect({ ok, spend: totals.spend }).toEqual({ ok: true, spend: {} });
  });

  it.each(BREAKS)("names %s", (_name, sql, promise, words) => {
    const { ok, violations } = auditAfter(full, sql);
    expect(ok).toBe(false);
    expect(violations).toContainEqual({ promise, detail: expect.stringContaining(words) });
  });

  it("counts what it does not list", async () => {
    const paths = Array.from({ length: 25 }, (_, index) => `/${index}`);
    const bytes = await createLedgerBytes(async (ledger) => void (await buyPages(ledger, { paths })));
    const { violations } = auditAfter(bytes, "DELETE FROM content");
    expect(violations.filter(({ detail }) => detail.endsWith("is settled without content"))).toHaveLength(20);
    expect(violations).toContainEqual({ promise: 4, detail: "and 5 more like the last" });
  });

  it("says that it cannot check a damaged part, and checks the rest", () => {
    const { violations } = auditAfter(full, "DROP TABLE content; UPDATE purchase SET rule_index = -1 WHERE id = 1");
    expect(violations).toContainEqual({ promise: 0, detail: expect.stringContaining("content cannot be checked") });
    expect(violations).toContainEqual({ promise: 2, detail: expect.stringContaining("purchase 1 names no rule") });
  });

  it("says so if nothing can be summed any more", () => {
    const { violations, totals } = auditAfter(full, "DROP TABLE purchase");
    expect(violations).toContainEqual({ promise: 0, detail: expect.stringContaining("the totals cannot be checked") });
    expect(totals.spend).toEqual({});
  });
});

describe("audit of budgets", () => {
  /** 60,200 settled, 10,000 in doubt and 20,000 reserved, all on one day. */
  const COUNTED = 90_200;
  /** Of those, what the later uses came to. */
  const LATER_USES = 30_000;

  function auditDay(limitMicros: number, sql = "") {
    const key = { scope: "all", period: "day:2026-11-20" };
    return auditAfter(full, sql, [
      { key, currency: "USD", label: "all per day (USD)", limitMicros: toMicros(limitMicros) },
    ]).violations;
  }

  it("finds nothing if a budget is exactly full, and names it at one micro more", () => {
    expect(auditDay(COUNTED)).toEqual([]);
    expect(auditDay(COUNTED - 1)).toEqual([
      { promise: 1, detail: expect.stringContaining("all per day (USD) is passed by 1 micros USD") },
    ]);
  });

  it.each([
    ["run", "total", "USD", 4],
    ["site:news.example", "month:2026-11", "USD", 1],
    ["site:other.example", "month:2026-11", "USD", 0],
    ["all", "week:2026-W47", "USD", 1],
    ["all", "month:2026-12", "USD", 0],
    ["all", "total", "EUR", 0],
  ])("checks %s, %s in %s: %d exceeded", (scope, period, currency, passed) => {
    const budget = { key: { scope, period }, currency, limitMicros: toMicros(0), label: "test" };
    expect(auditAfter(full, "", [budget]).violations).toHaveLength(passed);
  });

  it("accepts uses that exceeded a budget only where that is flagged, and only up to their cost", () => {
    const flag =
      "INSERT INTO open_item (kind, detail, scope, period, currency, at) SELECT 'over_budget_use', 'in words', 'all', 'day:2026-11-20', 'USD', max(recorded_at) FROM use WHERE kind = 'use'";
    expect(auditDay(COUNTED - LATER_USES)).toHaveLength(1);
    expect(auditDay(COUNTED - LATER_USES, flag)).toEqual([]);
    expect(auditDay(COUNTED - LATER_USES - 1, flag)).toHaveLength(1);
  });

  it("accepts a charge above the token's cap up to its excess", async () => {
    const bytes = await createLedgerBytes(async (ledger) => {
      const [purchase] = await startPages(ledger, { priceMicros: 10_000 });
      const charge = { micros: toMicros(12_500), currency: "USD" };
      const content = createContent("https://news.example/a");
      await ledger.settlePurchase({
        purchaseId: purchase?.purchaseId ?? 0,
        now: NOON,
        charge,
        feeMicros: toMicros(0),
        content,
        requestId: null,
        flaws: [],
        isEmpty: false,
      });
    });
    const budget = { key: { scope: "all", period: "total" }, currency: "USD", label: "all (USD)" };
    const audit = (limit: number) => auditAfter(bytes, "", [{ ...budget, limitMicros: toMicros(limit) }]).violations;
    expect(audit(10_000)).toEqual([]);
    expect(audit(9_999)).toHaveLength(1);
  });
});
