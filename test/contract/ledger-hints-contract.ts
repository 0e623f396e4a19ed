import { describe, expect, it } from "vitest";
import type { NewHint } from "../../src/ledger/hint-ledger.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { admitDue, beginWebhookRun, buyAdmitted, createHint } from "../doubles/hint-driver.ts";
import { NOON } from "../doubles/ledger-shop.ts";

/** What every ledger promises of notifications that it records. */
export function describeRecordedHints(open: () => Promise<Ledger>): void {
  describe("recordHints", () => {
    const record = (ledger: Ledger, ...hints: NewHint[]) => ledger.recordHints({ hints, now: NOON });

    it("records a notification once, in one call and across calls", async () => {
      const ledger = await open();
      const hint = createHint("/a");
      expect(await record(ledger, hint, hint)).toEqual({ results: ["recorded", "known"] });
      expect(await record(ledger, { ...hint, source: "history" })).toEqual({ results: ["known"] });
    });

    it.each([
      ["another page", createHint("/b")],
      ["another date", createHint("/a", { timestamp: "2026-11-20T12:00:00.000000001Z" })],
      ["another kind", createHint("/a", { kind: "created" })],
    ])("takes one with %s for another one", async (_name, other) => {
      const ledger = await open();
      expect(await record(ledger, createHint("/a"), other)).toEqual({ results: ["recorded", "recorded"] });
    });

    it("records one anew that was of no configured site before", async () => {
      const ledger = await open();
      const unknown = createHint("/a", { host: null, state: "unknown_site" });
      expect(await record(ledger, unknown, unknown)).toEqual({ results: ["recorded", "known"] });
      expect(await record(ledger, createHint("/a"))).toEqual({ results: ["recorded"] });
      expect(await record(ledger, unknown)).toEqual({ results: ["known"] });
    });

    it("takes one without a date that arrives after a day for another one, unless the delivery records have it", async () => {
      const ledger = await open();
      const undated = createHint("/a", { at: null, timestamp: "" });
      const at = async (now: number, hint: NewHint) => (await ledger.recordHints({ hints: [hint], now })).results[0];
      expect(await at(NOON, undated)).toBe("recorded");
      const run = await beginWebhookRun(ledger);
      await admitDue(ledger, run);
      await buyAdmitted(ledger, run);
      const dayLater = NOON + 24 * 3_600_000;
      expect(await at(dayLater - 1, undated)).toBe("known");
      expect(await at(dayLater, { ...undated, source: "history" })).toBe("known");
      expect(await at(dayLater, undated)).toBe("recorded");
      const next = await beginWebhookRun(ledger, { now: dayLater });
      expect(await admitDue(ledger, next, dayLater)).toMatchObject({ entered: 1 });
    });

    it("keeps only the newest of those that it ignores", async () => {
      const ledger = await open();
      const ignored = Array.from({ length: 5_001 }, (_, n) =>
        createHint(`/${n}`, { host: null, state: "unknown_site" }),
      );
      await record(ledger, ...ignored);
      const [oldest, second] = ignored as [NewHint, NewHint, ...NewHint[]];
      expect(await record(ledger, second)).toEqual({ results: ["known"] });
      expect(await record(ledger, oldest)).toEqual({ results: ["recorded"] });
    });
  });

  describe("listHintsOf", () => {
    it("lists the hints of a page and a kind that were received since, oldest first", async () => {
      const ledger = await open();
      const hints = [createHint("/a"), createHint("/b"), createHint("/a", { kind: "created" })];
      await ledger.recordHints({ hints, now: NOON });
      await ledger.recordHints({ hints: [createHint("/a", { at: NOON })], now: NOON + 1 });
      const pages = [{ wireUrl: "https://news.example/a", kind: "updated" as const }];
      const received = async (since: number) =>
        (await ledger.listHintsOf({ pages, since })).map(({ receivedAt }) => receivedAt);
      expect(await received(NOON)).toEqual([NOON, NOON + 1]);
      expect(await received(NOON + 1)).toEqual([NOON + 1]);
      const counts = { waiting: 4, entered: 0, done: 0, unknown_site: 0, excluded: 0 };
      expect(await ledger.countHints()).toEqual(counts);
    });
  });

  describe("readings of the delivery records", () => {
    it("are summed, a failure moves nothing, and no reading moves the covered time back", async () => {
      const ledger = await open();
      expect(await ledger.readSweep()).toMatchObject({ coveredUntil: null, sweeps: 0 });
      await ledger.recordSweepFailure({ error: "away" });
      expect(await ledger.readSweep()).toMatchObject({ coveredUntil: null, failures: 1, lastError: "away" });
      await ledger.recordSweep({ coveredUntil: NOON, records: 3, admitted: 1, now: NOON + 5 });
      await ledger.recordSweep({ coveredUntil: NOON - 1, records: 2, admitted: 0, now: NOON + 9 });
      expect(await ledger.readSweep()).toEqual({
        coveredUntil: NOON,
        completedAt: NOON + 9,
        sweeps: 2,
        records: 5,
        admitted: 1,
        failures: 0,
        lastError: null,
      });
    });
  });
}
