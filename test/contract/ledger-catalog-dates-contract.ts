import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { createContent, NOON } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  HOST,
  leaseMany,
  openAcquire,
  start,
  toEntry,
  toSettlement,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const DAY_MS = 86_400_000;

/** A catalog line of `/a`, dated on a day after noon's. */
function dated(day: number) {
  const at = NOON + day * DAY_MS;
  return toEntry("/a", { lastMod: new Date(at).toISOString(), lastModAt: at });
}

interface Walk {
  /** The days of the lines of `/a`, one list a catalog page. */
  readonly catalog: readonly (readonly number[])[];
  readonly body?: string;
  readonly minAgeMs?: number;
}

/** A run that walks this catalog and buys what is due. */
async function crawl(ledger: Ledger, number: number, { catalog, body = "text", minAgeMs = 0 }: Walk) {
  const runId = `run_${number}`;
  const now = NOON + number * DAY_MS;
  const refresh = { when: "modified", maxAgeMs: null, minAgeMs } as const;
  await ledger.createRun(toSpec({ runId, startedAt: now }));
  for (const [index, days] of catalog.entries()) {
    const isLast = index === catalog.length - 1;
    const nextPageToken = isLast ? null : `page ${index + 2}`;
    await walkPage(ledger, { runId, now, refresh, entries: days.map(dated), nextPageToken });
  }
  const quotes = await leaseMany(ledger, { runId, now });
  if (quotes.length > 0) {
    for (const { leaseId } of quotes) {
      await ledger.returnBatch({ leaseId, notBefore: now });
    }
    const { approved } = await decideBatch(ledger, { runId, now, refresh });
    if (approved > 0) {
      const { leaseId, purchases } = await openAcquire(ledger, { runId, now });
      for (const { purchaseId } of purchases) {
        await start(ledger, leaseId, purchaseId, now);
        const content = createContent(body);
        await ledger.settlePurchase(toSettlement(purchaseId, { now, content }));
      }
      await ledger.finishAcquireBatch(leaseId);
    }
  }
  await ledger.endRun({ runId, state: "completed", reason: null, now });
  const { sites, denials } = await ledger.readRun(runId);
  const { seen, unchanged, quoted, bought, repurchased, repurchasedEqual } = sites[0] ?? {};
  return { seen, unchanged, quoted, bought, repurchased, repurchasedEqual, denials };
}

export function describeCatalogDates(open: OpenLedger): void {
  describe("a catalog's dates", () => {
    it.each([
      ["the newer date first", [[2, 1]]],
      ["the older date first", [[1, 2]]],
      ["the newer date on the page before", [[2], [1]]],
      ["the older date on the page before", [[1], [2]]],
    ])("quote and buy a page once that is listed under two dates: %s", async (_, catalog) => {
      const ledger = await open();
      expect(await crawl(ledger, 1, { catalog })).toMatchObject({ seen: 1, bought: 1 });
      for (const number of [2, 3]) {
        expect(await crawl(ledger, number, { catalog })).toMatchObject({
          seen: 1,
          unchanged: 1,
          quoted: 0,
          bought: 0,
          denials: {},
        });
      }
      // A newer version is bought, wherever it stands.
      const newer = catalog.map((days) => days.map((day) => (day === 2 ? 3 : day)));
      expect(await crawl(ledger, 4, { catalog: newer })).toMatchObject({ seen: 1, unchanged: 0, bought: 1 });
      expect(await crawl(ledger, 5, { catalog: newer })).toMatchObject({ unchanged: 1, quoted: 0 });
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true });
    });

    it("are those of the build if what is bought again has not changed: that is counted", async () => {
      const ledger = await open();
      expect(await crawl(ledger, 1, { catalog: [[1]] })).toMatchObject({ repurchased: 0, repurchasedEqual: 0 });
      expect(await crawl(ledger, 2, { catalog: [[2]] })).toMatchObject({ repurchased: 1, repurchasedEqual: 1 });
      expect(await crawl(ledger, 3, { catalog: [[3]], body: "new" })).toMatchObject({
        repurchased: 1,
        repurchasedEqual: 0,
      });
      expect(await ledger.readRepurchases({ hosts: [HOST, "unknown.example"] })).toEqual([
        { host: HOST, repurchased: 2, repurchasedEqual: 1 },
        { host: "unknown.example", repurchased: 0, repurchasedEqual: 0 },
      ]);
      expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ ok: true });
    });

    it("buy nothing again that is younger than the site's least age", async () => {
      const ledger = await open();
      const minAgeMs = 2 * DAY_MS;
      expect(await crawl(ledger, 1, { catalog: [[1]], minAgeMs })).toMatchObject({ bought: 1 });
      expect(await crawl(ledger, 2, { catalog: [[2]], minAgeMs })).toMatchObject({ unchanged: 1, quoted: 0 });
      expect(await crawl(ledger, 3, { catalog: [[3]], minAgeMs })).toMatchObject({ bought: 1 });
    });
  });
}
