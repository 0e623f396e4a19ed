import { describe, expect, it } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { NOON } from "../../doubles/ledger-shop.ts";
import {
  begin,
  decideBatch,
  openAcquire,
  RUN,
  resumeRun,
  start,
  toApproval,
  toBudget,
  toEntry,
  toRate,
  toSettlement,
  toSpec,
  walkPage,
} from "../../doubles/ledger-steps.ts";
import { openTempLedger, type TempLedger } from "../../doubles/temp-ledger.ts";

const toEntries = (...paths: readonly string[]) => paths.map((path) => toEntry(path));
const readRanges = ({ query }: TempLedger) =>
  query<{ range: string }>(
    "SELECT first_page_id || ' to ' || last_page_id AS range FROM frontier_range ORDER BY first_page_id",
  ).map(({ range }) => range);
const readRows = ({ query }: TempLedger) =>
  query<{ page: string }>("SELECT page_id || ' ' || state AS page FROM frontier ORDER BY page_id").map(
    ({ page }) => page,
  );

async function audit(ledger: Ledger): Promise<readonly string[]> {
  return (await ledger.audit({ budgets: [], now: NOON })).violations.map(({ detail }) => detail);
}

/** A run that has found five pages, which were new, and goes on with its walk. */
async function findFive(): Promise<TempLedger> {
  const temp = await openTempLedger();
  await temp.ledger.createRun(toSpec());
  await walkPage(temp.ledger, { entries: toEntries("/a", "/b", "/c", "/d", "/e"), nextPageToken: "2" });
  return temp;
}

describe("new pages of a catalog page", () => {
  it("are one row of the frontier", async () => {
    const temp = await findFive();
    expect(readRanges(temp)).toEqual(["1 to 5"]);
    expect(readRows(temp)).toEqual([]);
    expect(await audit(temp.ledger)).toEqual([]);
  });

  it("are met once, also the first and the last of them, and the next page is new", async () => {
    const temp = await findFive();
    expect(await walkPage(temp.ledger, { entries: toEntries("/a", "/c", "/e", "/f") })).toMatchObject({
      seen: 1,
      repeated: 3,
    });
    expect((await temp.ledger.readRun(RUN)).pages.seen).toBe(6);
    expect(await audit(temp.ledger)).toEqual([]);
  });

  it("have a row of their own where they are excluded, and the range ends there", async () => {
    const temp = await openTempLedger();
    await temp.ledger.createRun(toSpec());
    const entries = [toEntry("/a"), toEntry("/b", { excluded: true }), toEntry("/c")];
    expect(await walkPage(temp.ledger, { entries })).toMatchObject({ seen: 3, candidates: 2 });
    expect(readRanges(temp)).toEqual(["1 to 1", "3 to 3"]);
    expect(readRows(temp)).toEqual(["2 excluded"]);
    expect(await audit(temp.ledger)).toEqual([]);
  });

  it("are rows where the ledger knew them", async () => {
    const temp = await findFive();
    await temp.ledger.createRun(toSpec({ runId: "later" }));
    await walkPage(temp.ledger, { runId: "later", entries: toEntries("/b", "/f") });
    expect(readRanges(temp)).toEqual(["1 to 5", "6 to 6"]);
    expect(readRows(temp)).toEqual(["2 waiting"]);
    expect(await audit(temp.ledger)).toEqual([]);
  });
});

describe("a page of a range", () => {
  it("gets a row when its purchase is taken back", async () => {
    const temp = await openTempLedger();
    const { ledger } = temp;
    await ledger.createRun(toSpec());
    await walkPage(ledger, { entries: toEntries("/a", "/b", "/c") });
    await decideBatch(ledger);
    const { leaseId, purchases } = await openAcquire(ledger);
    const middle = purchases.find(({ url }) => url.endsWith("/b"))?.purchaseId ?? 0;
    for (const { purchaseId } of purchases.filter((one) => one.purchaseId !== middle)) {
      await start(ledger, leaseId, purchaseId);
      await ledger.settlePurchase(toSettlement(purchaseId));
    }
    await ledger.endRun({ runId: RUN, state: "interrupted", reason: "signal", now: NOON });
    await resumeRun(ledger);
    expect(readRanges(temp)).toEqual(["1 to 1", "3 to 3"]);
    expect(readRows(temp)).toEqual(["2 waiting"]);
    expect(await audit(ledger)).toEqual([]);
    expect(await decideBatch(ledger)).toMatchObject({ approved: 1 });
    expect(await audit(ledger)).toEqual([]);
  });

  it("gets a row when its batch was decided in part", async () => {
    const temp = await openTempLedger();
    await temp.ledger.createRun(toSpec());
    await walkPage(temp.ledger, { entries: toEntries("/a", "/b", "/c") });
    await decideBatch(temp.ledger, { decisions: () => [toApproval(2, toRate(10_000))] });
    expect(readRanges(temp)).toEqual([]);
    expect(readRows(temp)).toEqual(["1 waiting", "2 waiting", "3 waiting"]);
    expect(await audit(temp.ledger)).toEqual([]);
    await openAcquire(temp.ledger);
    expect(await decideBatch(temp.ledger)).toMatchObject({ approved: 2 });
    expect(await audit(temp.ledger)).toEqual([]);
  });

  it("gets a row when its denial has passed", async () => {
    const temp = await openTempLedger();
    await temp.ledger.createRun(toSpec());
    await walkPage(temp.ledger, { entries: toEntries("/a", "/b", "/c") });
    expect(await decideBatch(temp.ledger, { budgets: [toBudget(0)] })).toMatchObject({
      denied: { budget_exhausted: 3 },
    });
    await temp.ledger.endRun({ runId: RUN, state: "interrupted", reason: "signal", now: NOON });
    await begin(temp.ledger, { process: "here:2:b" });
    expect(readRows(temp)).toEqual(["1 waiting", "2 waiting", "3 waiting"]);
    expect(await audit(temp.ledger)).toEqual([]);
  });
});

describe("the audit of ranges", () => {
  it.each<[string, string, RegExp]>([
    [
      "a page in a range and in a row",
      "INSERT INTO frontier SELECT run_id, 3, 'waiting', batch_id FROM frontier_range",
      /^page 3 of run 1 is in its frontier twice$/,
    ],
    [
      "a page in two ranges",
      "INSERT INTO frontier_range SELECT run_id, 5, 5, batch_id FROM frontier_range",
      /^the frontier of run 1 has page 5 in two ranges$/,
    ],
    ["a range that is gone", "DELETE FROM frontier_range", /^batch \d+ names page 1, which does not wait in it$/],
    ["a range that is too short", "UPDATE frontier_range SET last_page_id = 4", /^batch \d+ names page 5, which does/],
    ["a range of another batch", "UPDATE frontier_range SET batch_id = 99", /neither bought nor denied$/],
    ["a range that was not dropped", "UPDATE run SET frontier_dropped = 1", /a frontier left after it was dropped$/],
  ])("names %s", async (_name, damage, violation) => {
    const temp = await findFive();
    temp.tamper(damage);
    expect(await audit(temp.ledger)).toContainEqual(expect.stringMatching(violation));
  });
});
