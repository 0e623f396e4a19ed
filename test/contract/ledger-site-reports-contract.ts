/** What stands about sites and days: spend, denials, prices. */
import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { buyPages, NO_LIMIT, NOON, startPages } from "../doubles/ledger-shop.ts";

const DAY_MS = 86_400_000;
const OTHER_HOST = "shop.example";
const NOTHING = { settledMicros: 0, feeMicros: 0, inDoubtMicros: 0, reservedMicros: 0, bought: 0, failed: 0 };

export function describeSiteReports(open: () => Promise<Ledger>): void {
  describe("readDays", () => {
    it("has each day that cost something, and what each site cost in these days", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_0", paths: ["/before"], at: NOON - 2 * DAY_MS });
      await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"], feeMicros: 250 });
      const euros = { currency: "EUR", budgets: [{ ...NO_LIMIT, currency: "EUR" }] };
      await buyPages(ledger, { runId: "run_2", paths: ["/c"], host: OTHER_HOST, at: NOON + DAY_MS, ...euros });
      await startPages(ledger, { runId: "run_3", paths: ["/d"], at: NOON + DAY_MS });
      await buyPages(ledger, { runId: "run_4", paths: ["/after"], at: NOON + 2 * DAY_MS });
      const first = { ...NOTHING, settledMicros: 20_000, feeMicros: 500, bought: 2, currency: "USD" };
      const eur = { ...NOTHING, settledMicros: 10_000, bought: 1, currency: "EUR" };
      const underWay = { ...NOTHING, reservedMicros: 10_000, currency: "USD" };
      const days = { firstDay: "2026-11-19", lastDay: "2026-11-21" };
      expect(await ledger.readDays({ ...days, host: null })).toEqual({
        days: [
          { day: "2026-11-20", ...first },
          { day: "2026-11-21", ...eur },
          { day: "2026-11-21", ...underWay },
        ],
        sites: [
          { host: "news.example", ...first, reservedMicros: 10_000 },
          { host: OTHER_HOST, ...eur },
        ],
      });
      expect(await ledger.readDays({ ...days, host: OTHER_HOST })).toEqual({
        days: [{ day: "2026-11-21", ...eur }],
        sites: [{ host: OTHER_HOST, ...eur }],
      });
    });
  });
}
