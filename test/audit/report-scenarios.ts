/** Ledgers of reports that were taken at other prices, answered in unexpected ways, refused, split, or left to reconcile. */
import { toMicros } from "../../src/money/micros.ts";
import { ON_DEMAND } from "../doubles/ledger-shop.ts";
import { createReceipt, createUse, freeze, leaseFlusher, recordUses, settle } from "../doubles/usage-outbox-driver.ts";
import { crawl, DAY_MS, NOON } from "./crawling.ts";
import type { Scenario } from "./scenarios.ts";

export const REPORT_SCENARIOS: readonly Scenario[] = [
  {
    name: "fetches that are billed on the report",
    async fill(ledger) {
      await crawl(ledger, {
        runId: "billed",
        at: NOON,
        pages: { "/p/1": "settled", "/p/2": "settled", "/p/3": "settled" },
        priceMicros: 10_600,
        useReserveMicros: 10_600,
      });
      const fence = await leaseFlusher(ledger);
      await settle(ledger, await freeze(ledger, fence, { idempotencyId: "dear", maxEntries: 1 }), {
        perUnitPriceMicros: toMicros(11_000),
        totalUsePriceMicros: toMicros(11_000),
      });
      await settle(ledger, await freeze(ledger, fence, { idempotencyId: "cheap", maxEntries: 1 }), {
        perUnitPriceMicros: toMicros(9_000),
        totalUsePriceMicros: toMicros(9_000),
      });
      await ledger.releaseFlusher(fence);
    },
  },
  {
    name: "receipts that do not add up",
    async fill(ledger) {
      await crawl(ledger, {
        runId: "odd",
        at: NOON,
        pages: { "/q/1": "settled", "/q/2": "settled", "/q/3": "settled", "/q/4": "settled", "/q/5": "settled" },
        priceMicros: 10_700,
        useReserveMicros: 10_700,
      });
      const fence = await leaseFlusher(ledger);
      const { reportId, entries } = await freeze(ledger, fence, { idempotencyId: "odd" });
      const [, second, third, fourth, fifth] = entries;
      const changes = [
        { entry: second, totalUsePriceMicros: toMicros(10_701) },
        { entry: third, currency: "EUR" },
        { entry: fourth },
        { entry: fifth, error: "not licensed" },
      ];
      const receipts = changes.flatMap(({ entry, ...change }) =>
        entry === undefined ? [] : [{ entryId: entry.entryId, receipt: createReceipt(entry, change) }],
      );
      const surplus = fourth === undefined ? [] : [createReceipt(fourth, { url: "https://news.example/q/none" })];
      await ledger.settleReport({
        reportId,
        receipts: [{ entryId: entries[0]?.entryId ?? 0, receipt: null }, ...receipts],
        surplus,
        unreadable: 1,
        now: NOON + 500,
      });
      await ledger.releaseFlusher(fence);
    },
  },
  {
    name: "a report that names what its licences permit",
    async fill(ledger) {
      await crawl(ledger, {
        runId: "permitted",
        at: NOON,
        pages: { "/n/index": "settled" },
        quick: { intent: "indexing", format: "html", reportsFetch: false },
      });
      const license = { ...ON_DEMAND, cuid: "cuid-named", permissions: ["FULL_USE"] };
      const terms = { license, unitMicros: toMicros(4_322), currency: "USD" };
      await recordUses(ledger, [createUse("/n/index", { terms })]);
      const fence = await leaseFlusher(ledger);
      const batch = await freeze(ledger, fence, { idempotencyId: "named", reportPermissions: true });
      await settle(ledger, batch);
      await ledger.releaseFlusher(fence);
    },
  },
  {
    name: "reports that are frozen, were refused, split, given up, or answered after that",
    async fill(ledger) {
      const fence = await leaseFlusher(ledger);
      const buy = async (runId: string, paths: readonly string[], priceMicros: number) => {
        await crawl(ledger, {
          runId,
          at: NOON,
          pages: Object.fromEntries(paths.map((path) => [path, "settled"])),
          priceMicros,
          useReserveMicros: priceMicros,
        });
        return freeze(ledger, fence, { idempotencyId: runId });
      };
      const refuse = (reportId: number, idempotencyIds: readonly [string, string]) =>
        ledger.rejectReport({
          fence,
          reportId,
          status: 400,
          detail: "no",
          idempotencyIds,
          licenseIdField: "licenseCuid",
          now: NOON + 700,
        });
      const split = await buy("split", ["/u/1", "/u/2", "/u/3"], 10_800);
      await refuse(split.reportId, ["split-1", "split-2"]);
      await settle(ledger, (await ledger.nextReport({ fence, now: NOON, windowMs: DAY_MS })) ?? split);
      const half = (await ledger.nextReport({ fence, now: NOON, windowMs: DAY_MS })) ?? split;
      await refuse(half.reportId, ["unused-1", "unused-2"]);
      for (const runId of ["given-up", "answered"]) {
        const { reportId } = await buy(runId, [`/u/${runId}`], runId === "answered" ? 10_900 : 11_100);
        await ledger.recordAttempt({ fence, reportId, now: NOON });
      }
      await ledger.nextReport({ fence, now: NOON + 2 * DAY_MS, windowMs: DAY_MS });
      const answered = await freeze(ledger, fence, { idempotencyId: "answered" });
      await settle(ledger, answered);
      await buy("frozen", ["/u/frozen", "/u/frozen-2"], 11_200);
    },
  },
];
