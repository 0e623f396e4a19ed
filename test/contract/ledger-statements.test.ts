/** Statements of months, from a ledger whose facts come at chosen instants. */
import { describe, expect, test } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { createStatement } from "../../src/statement/create-statement.ts";
import { STATEMENT_GROUPINGS, type Statement, type StatementGrouping } from "../../src/statement/statement.ts";
import { parseCalendarMonth } from "../../src/time/calendar-month.ts";
import { crawl } from "../audit/crawling.ts";
import { createContent } from "../doubles/ledger-shop.ts";
import { toSettlement } from "../doubles/ledger-steps.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../doubles/usage-outbox-driver.ts";

const at = (text: string) => Date.parse(`${text}Z`);
const SOON = 60_000;

interface Asked {
  readonly by?: StatementGrouping;
  readonly host?: string | null;
  readonly now?: number;
}

async function read(ledger: Ledger, name: string, { by = "site", host = null, now }: Asked = {}): Promise<Statement> {
  const month = parseCalendarMonth(name);
  if (month === null) {
    throw new Error(`${name} is not a month`);
  }
  const facts = await ledger.readStatement({ from: month.from, to: month.to, by, host });
  return createStatement(month, { by, host }, facts, now ?? month.to + 10 * SOON);
}

const totalOf = ({ totals: [total] }: Statement) => total;
const late = (purchaseId: number, path: string, now: number, charged?: number) =>
  toSettlement(purchaseId, {
    now,
    feeMicros: toMicros(150),
    content: createContent(`https://news.example${path}`),
    ...(charged === undefined ? {} : { charge: { micros: toMicros(charged), currency: "USD" } }),
  });

/**
 * October: `/a` bought, `/b`, `/c`, `/d` and `/e` in doubt. November: `/b` charged and `/c` not charged by a person, `/d` answered late and cheaper.
 * `/e` stays in doubt. `/c` is answered in December after all.
 */
async function fillMonths(ledger: Ledger) {
  const ids = await crawl(ledger, {
    runId: "october",
    at: at("2026-10-15T12:00"),
    pages: { "/a": "settled", "/b": "in_doubt", "/c": "in_doubt", "/d": "in_doubt", "/e": "in_doubt" },
    feeMicros: 150,
  });
  const idOf = (path: string) => ids[path] ?? 0;
  await ledger.resolvePurchase({ purchaseId: idOf("/b"), charged: true, now: at("2026-11-02T09:00") });
  await ledger.resolvePurchase({ purchaseId: idOf("/c"), charged: false, now: at("2026-11-03T09:00") });
  await ledger.settlePurchase(late(idOf("/d"), "/d", at("2026-11-04T09:00"), 9_000));
  return { answerLate: () => ledger.settlePurchase(late(idOf("/c"), "/c", at("2026-12-24T09:00"))) };
}

describe("the statement of a month", () => {
  test("counts a charge when its content came, not when its page was decided", async () => {
    const { ledger } = await openTempLedger();
    await crawl(ledger, { runId: "midnight", at: at("2026-11-30T23:59:58.500"), pages: { "/a": "settled" } });
    expect((await read(ledger, "2026-11")).lines).toEqual([]);
    const december = await read(ledger, "2026-12");
    expect(totalOf(december)).toMatchObject({
      bought: { pages: 1, chargedMicros: 10_000, feeMicros: 0 },
      total: { pages: 1, chargedMicros: 10_000, feeMicros: 0 },
      // The budget of November had set it aside.
      budgetMonths: [{ month: "2026-11", spentMicros: 10_000 }],
    });
    expect((await read(ledger, "2026-12", { by: "month" })).lines.map(({ group }) => group)).toEqual(["2026-12"]);
  });

  test("has what is booked at its first instant, and the month before does not", async () => {
    const { ledger } = await openTempLedger();
    const pages = { "/a": { now: at("2026-12-01T00:00:00") } };
    await crawl(ledger, { runId: "midnight", at: at("2026-11-30T23:59"), pages });
    expect((await read(ledger, "2026-11")).totals).toEqual([]);
    expect(totalOf(await read(ledger, "2026-12"))).toMatchObject({ bought: { pages: 1, chargedMicros: 10_000 } });
  });

  test("keeps doubts apart, and has what became of them in the month in which it was learned", async () => {
    const { ledger } = await openTempLedger();
    await fillMonths(ledger);
    const doubt = (pages: number) => ({ pages, setAsideMicros: pages * 10_150 });
    expect(totalOf(await read(ledger, "2026-10"))).toMatchObject({
      bought: { pages: 1, chargedMicros: 10_000, feeMicros: 150 },
      doubts: { openAtStart: doubt(0), opened: doubt(4), charged: doubt(0), notCharged: doubt(0), openAtEnd: doubt(4) },
      total: { pages: 1, chargedMicros: 10_000, feeMicros: 150 },
    });
    expect(totalOf(await read(ledger, "2026-11"))).toMatchObject({
      bought: { pages: 0 },
      doubts: { openAtStart: doubt(4), opened: doubt(0), charged: doubt(2), notCharged: doubt(1), openAtEnd: doubt(1) },
      corrections: {
        operator: { pages: 1, chargedMicros: 10_000, feeMicros: 150 },
        lateAnswers: { pages: 1, chargedMicros: 9_000, feeMicros: 150 },
      },
      total: { pages: 2, chargedMicros: 19_000, feeMicros: 300 },
      budgetMonths: [{ month: "2026-10", spentMicros: 19_300 }],
    });
  });

  test("does not change any more once the month has ended, whatever is learned later", async () => {
    const { ledger } = await openTempLedger();
    const { answerLate } = await fillMonths(ledger);
    const readAll = () =>
      Promise.all(
        ["2026-10", "2026-11"].flatMap((month) => STATEMENT_GROUPINGS.map((by) => read(ledger, month, { by }))),
      );
    const before = JSON.stringify(await readAll());
    await answerLate();
    await crawl(ledger, { runId: "later", at: at("2026-12-26T12:00"), pages: { "/a": "settled", "/f": "in_doubt" } });
    await ledger.prune({ before: at("2027-01-01T00:00"), dryRun: false });
    expect(JSON.stringify(await readAll())).toBe(before);
    expect(totalOf(await read(ledger, "2026-12"))).toMatchObject({
      bought: { pages: 1 },
      corrections: { lateAnswers: { pages: 1, chargedMicros: 10_000, feeMicros: 150 } },
      doubts: { openAtStart: { pages: 1 }, opened: { pages: 1 }, openAtEnd: { pages: 2 } },
    });
  });

  test("gets no booking of a slow process after a later month has begun", async () => {
    const { ledger } = await openTempLedger();
    await crawl(ledger, { runId: "december", at: at("2026-12-01T00:00:00"), pages: { "/a": "settled" } });
    await crawl(ledger, {
      runId: "slow",
      at: at("2026-11-30T23:58"),
      pages: { "/b": "settled" },
      host: "slow.example",
    });
    expect((await read(ledger, "2026-11")).lines).toEqual([]);
    expect((await read(ledger, "2026-12")).lines.map(({ group }) => group)).toEqual(["news.example", "slow.example"]);
  });

  test("is not moved by a clock that was wrong by more than a month", async () => {
    const { ledger } = await openTempLedger();
    await crawl(ledger, { runId: "wrong clock", at: at("2031-01-01T00:00"), pages: { "/a": "settled" } });
    await crawl(ledger, { runId: "right clock", at: at("2026-11-20T12:00"), pages: { "/b": "settled" } });
    expect(totalOf(await read(ledger, "2026-11"))).toMatchObject({ bought: { pages: 1 } });
    expect(await read(ledger, "2026-11", { now: at("2026-11-21T00:00") })).toMatchObject({ complete: false });
  });

  test("has the reported uses with what they were expected to cost, and what their receipts said", async () => {
    const { ledger } = await openTempLedger();
    await crawl(ledger, { runId: "bought", at: at("2026-10-20T12:00"), pages: { "/a": "settled" } });
    const now = at("2026-10-31T20:00");
    await recordUses(ledger, [createUse("/a", { times: 3 })], { now });
    const fence = await leaseFlusher(ledger, now);
    const batch = await freeze(ledger, fence, { now });
    const use = batch.entries.find(({ timesUsed }) => timesUsed === 4);
    expect(use).toBeDefined();
    await settle(ledger, batch, { totalUsePriceMicros: toMicros(44_000), perUnitPriceMicros: toMicros(11_000) });
    const [total] = (await read(ledger, "2026-11")).totals;
    expect(total).toMatchObject({
      uses: { times: 3, expectedMicros: 30_000, chargedMicros: 33_000 },
      fetchReports: { times: 1, expectedMicros: 0, chargedMicros: 0 },
      corrections: { receipts: { differenceMicros: 3_000 } },
      total: { pages: 0, chargedMicros: 33_000 },
      receiptsMicros: 44_000,
      budgetMonths: [{ month: "2026-10", spentMicros: 33_000 }],
    });
  });

  test("adds up receipts that say just what was expected", async () => {
    const { ledger } = await openTempLedger();
    await crawl(ledger, { runId: "bought", at: at("2026-10-20T12:00"), pages: { "/a": "settled" } });
    const now = at("2026-10-31T20:00");
    await recordUses(ledger, [createUse("/a", { times: 3 })], { now });
    await settle(ledger, await freeze(ledger, await leaseFlusher(ledger, now), { now }));
    const { totals } = await read(ledger, "2026-11");
    expect(totals).toMatchObject([{ receiptsMicros: 40_000, corrections: { receipts: { differenceMicros: 0 } } }]);
    expect((await read(ledger, "2026-11", { host: "shop.example" })).totals).toEqual([]);
  });

  test("lists pages that were only indexed, with nothing to pay and without a currency", async () => {
    const { ledger } = await openTempLedger();
    await crawl(ledger, {
      runId: "index",
      at: at("2026-11-20T12:00"),
      pages: { "/a": "settled" },
      quick: { intent: "indexing", format: "html", reportsFetch: false },
    });
    const { lines } = await read(ledger, "2026-11");
    expect(lines).toMatchObject([{ currency: null, indexed: { pages: 1 }, bought: { pages: 0 }, total: { pages: 0 } }]);
    expect((await read(ledger, "2026-11", { by: "license" })).lines).toMatchObject([{ group: null, currency: null }]);
  });

  test("keeps currencies apart, also where a charge is in another one than its quote", async () => {
    const { ledger } = await openTempLedger();
    const charge = { micros: toMicros(9_000), currency: "EUR" };
    await crawl(ledger, { runId: "mixed", at: at("2026-11-20T12:00"), pages: { "/a": { charge }, "/b": "settled" } });
    expect((await read(ledger, "2026-11")).totals).toMatchObject([
      {
        currency: "EUR",
        bought: { pages: 1, chargedMicros: 9_000 },
        budgetMonths: [{ month: "2026-11", spentMicros: 9_000 }],
      },
      // Another currency is an overcharge: the site was stopped, and this page came after all.
      { currency: "USD", total: { pages: 1, chargedMicros: 10_000 } },
    ]);
  });

  test("adds up to the same totals however its lines are grouped", async () => {
    const { ledger } = await openTempLedger();
    await fillMonths(ledger);
    await crawl(ledger, { runId: "more", at: at("2026-11-20T12:00"), host: "b.example", pages: { "/x": "settled" } });
    const [first, ...others] = await Promise.all(STATEMENT_GROUPINGS.map((by) => read(ledger, "2026-11", { by })));
    for (const other of others) {
      expect(other.totals).toEqual(first?.totals);
    }
    const groupsBy = async (by: StatementGrouping) =>
      (await read(ledger, "2026-11", { by })).lines.map(({ group }) => group);
    expect(await groupsBy("site")).toEqual(["b.example", "news.example"]);
    // A doubt that is still open stands on the day on which it was opened.
    expect(await groupsBy("day")).toEqual(["2026-10-15", "2026-11-02", "2026-11-03", "2026-11-04", "2026-11-20"]);
    expect(await groupsBy("run")).toEqual(["more", "october"]);
    expect(await read(ledger, "2026-11", { host: "b.example" })).toMatchObject({
      lines: [{ group: "b.example" }],
      totals: [{ bought: { pages: 1 } }],
    });
  });

  test("over all months adds up to what the ledger has spent and has in doubt", async () => {
    const { ledger } = await openTempLedger();
    const { answerLate } = await fillMonths(ledger);
    await answerLate();
    const months = await Promise.all(["2026-10", "2026-11", "2026-12"].map((month) => read(ledger, month)));
    const sum = (of: "chargedMicros" | "feeMicros") =>
      months.reduce((all, month) => all + (totalOf(month)?.total[of] ?? 0), 0);
    const { totals, ok } = await ledger.audit({ budgets: [], now: 0 });
    expect(ok).toBe(true);
    expect({
      settledMicros: sum("chargedMicros"),
      feeMicros: sum("feeMicros"),
      inDoubtMicros: totalOf(months.at(-1) as Statement)?.doubts.openAtEnd.setAsideMicros,
    }).toEqual({
      settledMicros: totals.spend.USD?.settledMicros,
      feeMicros: totals.spend.USD?.feeMicros,
      inDoubtMicros: totals.spend.USD?.inDoubtMicros,
    });
  });

  test("says how far it goes while the month goes on", async () => {
    const { ledger } = await openTempLedger();
    await crawl(ledger, { runId: "now", at: at("2026-11-20T12:00"), pages: { "/a": "settled" } });
    const open = await read(ledger, "2026-11", { now: at("2026-12-01T00:04") });
    expect(open).toMatchObject({ complete: false, until: "2026-11-20T12:00:02.001Z" });
    expect(await read(ledger, "2026-11", { now: at("2026-12-01T00:05") })).toMatchObject({
      complete: true,
      until: open.to,
    });
    expect(await read(ledger, "2026-12", { now: at("2026-12-01T00:00") })).toMatchObject({
      complete: false,
      until: open.to,
      lines: [],
    });
    // Nothing more can be booked in November now.
    await crawl(ledger, { runId: "next", at: at("2026-12-01T00:00"), pages: { "/b": "settled" } });
    expect(await read(ledger, "2026-11", { now: at("2026-12-01T00:01") })).toMatchObject({ complete: true });
  });
});

describe("a closed month", () => {
  const monthOf = (name: string) => {
    const { from, to } = parseCalendarMonth(name) ?? { from: 0, to: 0 };
    return { from, to };
  };
  const buy = (ledger: Ledger, runId: string, when: string) =>
    crawl(ledger, { runId, at: at(when), pages: { [`/${runId}`]: "settled" } });
  const pagesOf = async (ledger: Ledger, name: string) => totalOf(await read(ledger, name))?.bought.pages ?? 0;

  test("gets nothing more, by whatever clock: what comes is booked at its end", async () => {
    const { ledger } = await openTempLedger();
    expect(await ledger.closeMonth(monthOf("2026-10"))).toBe(true);
    expect(await ledger.closeMonth(monthOf("2026-10"))).toBe(false);
    await buy(ledger, "behind", "2026-10-30T12:00");
    expect(await pagesOf(ledger, "2026-10")).toBe(0);
    expect(await pagesOf(ledger, "2026-11")).toBe(1);
    await buy(ledger, "later", "2026-11-20T12:00");
    // By more than a month, so the booking made last does not hold it; September was never called complete.
    await buy(ledger, "far", "2026-10-02T12:00");
    await buy(ledger, "farther", "2026-09-02T12:00");
    expect(await pagesOf(ledger, "2026-10")).toBe(0);
    expect(await pagesOf(ledger, "2026-11")).toBe(3);
    expect(await pagesOf(ledger, "2026-09")).toBe(1);
    expect((await ledger.audit({ budgets: [], now: at("2027-01-01T00:00") })).violations).toEqual([]);
  });

  test("of several in a row, the first month that is not closed has what comes", async () => {
    const { ledger } = await openTempLedger();
    for (const name of ["2026-12", "2026-10", "2026-11", "2027-03"]) {
      await ledger.closeMonth(monthOf(name));
    }
    await buy(ledger, "october", "2026-10-30T12:00");
    expect(await pagesOf(ledger, "2027-01")).toBe(1);
    expect((await ledger.audit({ budgets: [], now: at("2027-01-01T00:00") })).violations).toEqual([]);
  });

  test("goes on when a person says that it has not ended, and can be closed again", async () => {
    const { ledger } = await openTempLedger();
    await ledger.closeMonth(monthOf("2026-10"));
    await ledger.closeMonth(monthOf("2026-11"));
    await buy(ledger, "moved", "2026-11-20T12:00");
    await ledger.recordClockWord({ now: at("2026-11-21T12:00"), gatewayAt: null });
    await buy(ledger, "november", "2026-11-21T12:00");
    expect(await pagesOf(ledger, "2026-11")).toBe(1);
    expect(await pagesOf(ledger, "2026-12")).toBe(1);
    expect((await ledger.audit({ budgets: [], now: at("2027-01-01T00:00") })).violations).toEqual([]);
    expect(await ledger.closeMonth(monthOf("2026-10"))).toBe(false);
    expect(await ledger.closeMonth(monthOf("2026-11"))).toBe(true);
  });
});
