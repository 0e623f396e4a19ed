import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { buyPages, NOON, startPages } from "../doubles/ledger-shop.ts";
import { HOST, toBudget } from "../doubles/ledger-steps.ts";

/** What every ledger says in numbers. */
export function describeFigures(open: () => Promise<Ledger>): void {
  describe("readFigures", () => {
    const read = (ledger: Ledger) => ledger.readFigures({ budgets: [toBudget(1_000_000)], hosts: [HOST], now: NOON });
    const countOf = async (ledger: Ledger, kind: string) =>
      (await read(ledger)).totals.find((total) => total.kind === kind)?.count;

    it("says nothing of an empty ledger", async () => {
      expect(await read(await open())).toMatchObject({
        totals: [],
        spend: [],
        purchases: { reserved: 0, started: 0, settled: 0, released: 0, in_doubt: 0 },
        oldestDoubtAt: null,
        oldestUnreportedAt: null,
        openItems: [],
        sweep: null,
      });
    });

    it("counts the fees with what was spent, on a site as in its budget", async () => {
      const ledger = await open();
      await buyPages(ledger, { paths: ["/a", "/b"], feeMicros: 300 });
      expect(await read(ledger)).toMatchObject({
        spend: [{ host: HOST, currency: "USD", spentMicros: 20_600 }],
        budgets: [{ balance: { spentMicros: 20_600 } }],
      });
    });

    it("counts purchases by state, and says what was spent and what is left", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"] });
      const [doubtful] = await startPages(ledger, { runId: "run_2", paths: ["/c", "/d"] });
      const doubt = { purchaseId: doubtful?.purchaseId ?? 0, reason: "token_spent", detail: "" } as const;
      await ledger.holdInDoubt({ ...doubt, now: NOON + 1 });
      expect(await read(ledger)).toMatchObject({
        spend: [{ host: HOST, currency: "USD", spentMicros: 20_000 }],
        budgets: [{ balance: { spentMicros: 20_000, inDoubtMicros: 10_000, reservedMicros: 10_000 } }],
        purchases: { reserved: 0, started: 1, settled: 2, released: 0, in_doubt: 1 },
        oldestDoubtAt: NOON + 1,
        uses: { pending: 2 },
        oldestUnreportedAt: NOON,
        unfinishedRuns: [{ state: "running", count: 1 }],
      });
    });

    it("takes no slot ahead of the clock for the newest, and counts those ahead", async () => {
      const ledger = await open();
      const schedule = "site:news.example";
      await ledger.setSchedules({ schedules: [{ name: schedule, timing: "0 * * * * UTC" }], now: NOON });
      for (const slotAt of [NOON, NOON + 3_600_000]) {
        await ledger.claimSlot({ schedule, slotAt, process: "a.example:1:x-1", now: NOON });
      }
      expect((await read(ledger)).schedules).toMatchObject([{ newest: { slotAt: NOON }, ahead: 1 }]);
    });

    it("never lowers a total: a resolved doubt counts as a doubt and as what it became", async () => {
      const ledger = await open();
      const [doubtful] = await startPages(ledger, { paths: ["/a"] });
      const purchaseId = doubtful?.purchaseId ?? 0;
      await ledger.holdInDoubt({ purchaseId, reason: "token_spent", detail: "", now: NOON });
      await ledger.resolvePurchase({ purchaseId, charged: false, keepOff: false, now: NOON });
      expect(await countOf(ledger, "in_doubt")).toBe(1);
      expect(await countOf(ledger, "released")).toBe(1);
      expect((await read(ledger)).purchases).toMatchObject({ in_doubt: 0, released: 1 });
    });
  });
}
