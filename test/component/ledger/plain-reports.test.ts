import { describe, expect, it } from "vitest";
import type { FrozenReport } from "../../../src/ledger/usage-ledger.ts";
import { buyPages, NOON } from "../../doubles/ledger-shop.ts";
import { openTempLedger, type TempLedger } from "../../doubles/temp-ledger.ts";
import {
  createReceipt,
  createUse,
  freeze,
  leaseFlusher,
  recordUses,
  settle,
  WINDOW_MS,
} from "../../doubles/usage-outbox-driver.ts";

const WHO = { by: "anna", reason: null };

interface UseRow {
  readonly state: string;
  readonly entryId: number | null;
}

/** Of the rows themselves, and not of how the uses stand. */
const readUseRows = ({ query }: TempLedger) => query<UseRow>("SELECT state, entry_id AS entryId FROM use ORDER BY id");
const readStates = ({ query }: TempLedger) =>
  query<{ state: string }>("SELECT state FROM v1_uses ORDER BY use_id").map(({ state }) => state);
const readEntryIds = ({ query }: TempLedger) =>
  query<{ id: number }>("SELECT id FROM usage_entry ORDER BY id").map(({ id }) => id);

async function audit({ ledger }: TempLedger): Promise<readonly string[]> {
  return (await ledger.audit({ budgets: [], now: NOON })).violations.map(({ detail }) => detail);
}

/** Three pages that were bought, in a report that was frozen. */
async function freezeThree(): Promise<{
  readonly temp: TempLedger;
  readonly fence: number;
  readonly report: FrozenReport;
}> {
  const temp = await openTempLedger();
  await buyPages(temp.ledger, { paths: ["/a", "/b", "/c"] });
  const fence = await leaseFlusher(temp.ledger);
  return { temp, fence, report: await freeze(temp.ledger, fence, { reportPermissions: true }) };
}

async function refuse({ ledger }: TempLedger, fence: number, reportId: number): Promise<void> {
  const refusal = { fence, reportId, status: 400, detail: "bad", licenseIdField: "licenseCuid", now: NOON };
  await ledger.recordAttempt({ fence, reportId, now: NOON });
  await ledger.rejectReport({ ...refusal, idempotencyIds: [`${reportId}-first`, `${reportId}-second`] });
}

describe("a plain report", () => {
  it("writes nothing of its entries and uses, which stand as it does", async () => {
    const { temp, report } = await freezeThree();
    expect(readEntryIds(temp)).toEqual([]);
    expect(readStates(temp)).toEqual(["batched", "batched", "batched"]);
    expect(await temp.ledger.countPendingUses()).toMatchObject({ unbatched: 0, inBatches: 3 });
    expect(await audit(temp)).toEqual([]);
    await settle(temp.ledger, report);
    expect(readEntryIds(temp)).toEqual([]);
    expect(readUseRows(temp)).toEqual(Array.from({ length: 3 }, () => ({ state: "pending", entryId: null })));
    expect(readStates(temp)).toEqual(["settled", "settled", "settled"]);
    expect((await temp.ledger.readStatus()).usage).toMatchObject({ reported: 3, pending: 0 });
    expect(await audit(temp)).toEqual([]);
  });

  it("is read back as it was frozen, with the ids of its entries", async () => {
    const { temp, fence, report } = await freezeThree();
    const next = await temp.ledger.nextReport({ fence, now: NOON, windowMs: WINDOW_MS });
    expect(next?.entries).toEqual(report.entries);
    await settle(temp.ledger, report);
    await buyPages(temp.ledger, { runId: "later", paths: ["/d"] });
    const { entries } = await freeze(temp.ledger, fence, { idempotencyId: "later" });
    expect(entries[0]?.entryId).toBe((report.entries.at(-1)?.entryId ?? 0) + 1);
  });

  it.each<[string, (temp: TempLedger, report: FrozenReport, fence: number) => Promise<unknown>]>([
    [
      "a receipt is missing",
      ({ ledger }, { reportId, entries }) =>
        ledger.settleReport({
          reportId,
          receipts: entries.slice(1).map((entry) => ({ entryId: entry.entryId, receipt: createReceipt(entry) })),
          surplus: [],
          unreadable: 0,
          now: NOON,
        }),
    ],
    ["a receipt has an error", ({ ledger }, report) => settle(ledger, report, { error: "odd" })],
    [
      "a person says that it was taken",
      async ({ ledger }, { reportId }, fence) => {
        await ledger.recordAttempt({ fence, reportId, now: NOON });
        await ledger.nextReport({ fence, now: NOON + 2 * WINDOW_MS, windowMs: WINDOW_MS });
        await ledger.resolveReport({ reportId, taken: true, who: WHO, now: NOON });
      },
    ],
  ])("gets its rows, under the ids that they had, when %s", async (_name, answer) => {
    const { temp, fence, report } = await freezeThree();
    await answer(temp, report, fence);
    const ids = report.entries.map(({ entryId }) => entryId);
    expect(readEntryIds(temp)).toEqual(ids);
    expect(readUseRows(temp)).toEqual(ids.map((entryId) => ({ state: "settled", entryId })));
    expect(await audit(temp)).toEqual([]);
  });

  it("gets its rows when it is refused, and its halves have theirs", async () => {
    const { temp, fence, report } = await freezeThree();
    await refuse(temp, fence, report.reportId);
    expect(readEntryIds(temp)).toHaveLength(6);
    expect(readStates(temp)).toEqual(["batched", "batched", "batched"]);
    expect(await audit(temp)).toEqual([]);
  });

  it("keeps its uses when older ones wait to be reported again", async () => {
    const temp = await openTempLedger();
    await buyPages(temp.ledger, { paths: ["/a"] });
    const fence = await leaseFlusher(temp.ledger);
    await refuse(temp, fence, (await freeze(temp.ledger, fence, { idempotencyId: "refused" })).reportId);
    await buyPages(temp.ledger, { runId: "second", paths: ["/b", "/c"] });
    await settle(temp.ledger, await freeze(temp.ledger, fence, { idempotencyId: "taken" }));
    await buyPages(temp.ledger, { runId: "third", paths: ["/d"] });
    expect(await temp.ledger.retryRejected({ now: NOON })).toEqual({ uses: 1 });
    expect(await audit(temp)).toEqual([]);
    const again = await freeze(temp.ledger, fence, { idempotencyId: "again" });
    expect(again.entries.map(({ url }) => url)).toEqual(["https://news.example/a", "https://news.example/d"]);
    expect(readStates(temp)).toEqual(["batched", "settled", "settled", "batched"]);
    expect(await audit(temp)).toEqual([]);
    await settle(temp.ledger, again);
    expect(readStates(temp)).toEqual(["settled", "settled", "settled", "settled"]);
    expect(await audit(temp)).toEqual([]);
  });
});

describe("the audit of plain reports", () => {
  it.each<[string, string, RegExp]>([
    [
      "a use that says more",
      "UPDATE use SET state = 'rejected' WHERE id = 2",
      /has 3 entries without rows, and 2 fetches/,
    ],
    ["a use that is billed", "UPDATE use SET billed = 1 WHERE id = 2", /has 3 entries without rows, and 2 fetches/],
    ["another first use", "UPDATE usage_batch SET first_use_id = 2", /has 3 entries without rows, and 2 fetches/],
    [
      "a report that has a part of another",
      `INSERT INTO usage_batch (id, idempotency_id, body_hash, state, created_at, first_entry_id, last_entry_id, first_use_id, body)
       SELECT 2, 'more', body_hash, 'frozen', created_at, 4, 4, 3, body FROM usage_batch`,
      /begins with use 3, and the report before it goes up to use 3/,
    ],
    [
      "entries of two reports with one id",
      `INSERT INTO usage_batch (id, idempotency_id, body_hash, state, created_at, first_entry_id, last_entry_id, first_use_id, body)
       SELECT 2, 'more', body_hash, 'frozen', created_at, 3, 3, 4, body FROM usage_batch`,
      /begins with entry 3, and the report before it goes up to entry 3/,
    ],
    [
      "a report that was refused",
      "UPDATE usage_batch SET state = 'rejected', closed_at = created_at",
      /is rejected, and its entries have no rows/,
    ],
    [
      "a report whose receipts say more",
      "UPDATE usage_batch SET state = 'settled', closed_at = created_at",
      /is settled, and its entries have no rows/,
    ],
    [
      "another spelling than was reported",
      "UPDATE purchase SET url = url || '#top' WHERE id = 2",
      /does not say what its entries say/,
    ],
    [
      "other permissions than were reported",
      "UPDATE license SET permissions = '[\"x\"]'",
      /names other permissions|does not say what its entries say/,
    ],
  ])("names %s", async (_name, damage, violation) => {
    const { temp } = await freezeThree();
    temp.tamper(damage);
    expect(await audit(temp)).toContainEqual(expect.stringMatching(violation));
  });
});

describe("a report is not plain", () => {
  it("where a use of it is billed", async () => {
    const temp = await openTempLedger();
    await buyPages(temp.ledger, { paths: ["/a"], priceMicros: 10_000, useReserveMicros: 10_000 });
    const report = await freeze(temp.ledger, await leaseFlusher(temp.ledger));
    expect(readEntryIds(temp)).toHaveLength(1);
    await settle(temp.ledger, report);
    expect(await audit(temp)).toEqual([]);
  });

  it("where a later use is among its fetches", async () => {
    const temp = await openTempLedger();
    await buyPages(temp.ledger, { paths: ["/a", "/b"] });
    await recordUses(temp.ledger, [createUse("/a", { times: 2 })]);
    const { entries } = await freeze(temp.ledger, await leaseFlusher(temp.ledger));
    expect(readEntryIds(temp)).toEqual(entries.map(({ entryId }) => entryId));
    expect(await audit(temp)).toEqual([]);
  });

  it("where a use that is not reported lies between its fetches", async () => {
    const temp = await openTempLedger();
    await buyPages(temp.ledger, { paths: ["/a"] });
    await recordUses(temp.ledger, [createUse("/a")], { defaultTerms: { kinds: ["fetch"], billed: [] } });
    await buyPages(temp.ledger, { runId: "second", paths: ["/b"] });
    await settle(temp.ledger, await freeze(temp.ledger, await leaseFlusher(temp.ledger)));
    expect(readEntryIds(temp)).toHaveLength(2);
    expect(readStates(temp)).toEqual(["settled", "not_reported", "settled"]);
    expect(await audit(temp)).toEqual([]);
  });
});
