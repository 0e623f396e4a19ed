import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ExpiryPolicies } from "../../src/rights/rights.ts";
import { buyPages, NOON } from "../doubles/ledger-shop.ts";

const DAY_MS = 86_400_000;
const OTHER_HOST = "shop.example";
const KEPT_TEN_DAYS: ExpiryPolicies = { standard: { retentionMs: 10 * DAY_MS, onExpiry: "purge" } };

const read = (ledger: Ledger, policies: ExpiryPolicies, until = NOON + 90 * DAY_MS) =>
  ledger.readEnding({ policies, now: NOON, until });

const pathsOf = async (ledger: Ledger, policies: ExpiryPolicies, until?: number) =>
  (await read(ledger, policies, until)).ending.map(({ host, url }) => host + new URL(url).pathname);

export function describeRightsCalendar(open: () => Promise<Ledger>): void {
  describe("readEnding", () => {
    it("has what ends, the earliest first, and apart from it what has ended", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_0", paths: ["/over"], at: NOON - 20 * DAY_MS });
      await buyPages(ledger, { runId: "run_1", paths: ["/now"], at: NOON - 10 * DAY_MS });
      await buyPages(ledger, { runId: "run_2", paths: ["/a", "/b"], at: NOON - 2 * DAY_MS });
      await buyPages(ledger, { runId: "run_3", host: OTHER_HOST, paths: ["/x"], at: NOON - 3 * DAY_MS });
      const { ending, countedUntil, ended } = await read(ledger, KEPT_TEN_DAYS);
      expect(ending[0]).toEqual({
        purchaseId: 5,
        url: `https://${OTHER_HOST}/x`,
        host: OTHER_HOST,
        endsAt: NOON + 7 * DAY_MS,
        why: "retention",
        action: "purge",
      });
      expect(countedUntil).toBe(NOON + 90 * DAY_MS);
      expect(ended).toEqual([{ host: "news.example", action: "purge", pages: 2, isAtLeast: false }]);
      expect(await pathsOf(ledger, KEPT_TEN_DAYS)).toEqual(["shop.example/x", "news.example/a", "news.example/b"]);
      expect(await pathsOf(ledger, KEPT_TEN_DAYS, NOON + 7 * DAY_MS + 1)).toEqual(["shop.example/x"]);
    });

    it("says until when every end is counted, where there are more than one look reads", async () => {
      const ledger = await open();
      const hosts = Array.from({ length: 60 }, (_, index) => `site-${index}.example`);
      for (const [index, host] of hosts.entries()) {
        const paths = index === 0 ? Array.from({ length: 101 }, (_, page) => `/${page}`) : ["/a"];
        await buyPages(ledger, { runId: `run_${index}`, host, paths, at: NOON - (index === 0 ? 1 : 5) * DAY_MS });
      }
      const { ending, countedUntil } = await read(ledger, KEPT_TEN_DAYS);
      expect(countedUntil).toBe(NOON + 9 * DAY_MS);
      expect(ending).toHaveLength(59);
    });

    it("is empty where nothing ends, and reads no retention of a policy that has none", async () => {
      const ledger = await open();
      await buyPages(ledger, { runId: "run_1" });
      expect(await read(ledger, {})).toEqual({ ending: [], countedUntil: NOON + 90 * DAY_MS, ended: [] });
    });
  });
}
