/** Ledgers with decisions of a person: about reports, rejected uses, open items, pages, runs, and pages that are kept off. */
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { OpenItemKind } from "../../src/ledger/usage-ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { createContent, NO_LIMIT, ON_DEMAND } from "../doubles/ledger-shop.ts";
import { toApproval, toSettlement } from "../doubles/ledger-steps.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../doubles/usage-outbox-driver.ts";
import { beginLongCrawl, crawl, DAY_MS, NOON, toDatedEntry } from "./crawling.ts";
import type { Scenario } from "./scenarios.ts";

const LATER = NOON + 10 * DAY_MS;
const LONG_AGO = NOON - 60 * DAY_MS;

export const RESOLUTION_SCENARIOS: readonly Scenario[] = [
  {
    name: "reports that were given up: one was taken, one is sent again and given up anew, one is settled after all",
    async fill(ledger) {
      const fence = await leaseFlusher(ledger, LATER);
      const give = async (idempotencyId: string) => {
        await crawl(ledger, {
          runId: idempotencyId,
          at: LATER,
          pages: { [`/w/${idempotencyId}`]: "settled" },
          priceMicros: 13_000,
        });
        const batch = await freeze(ledger, fence, { idempotencyId, now: LATER });
        await ledger.recordAttempt({ fence, reportId: batch.reportId, now: LATER });
        return batch;
      };
      const [taken, unsent, late] = [await give("taken"), await give("unsent"), await give("late-word")];
      const giveUp = (now: number) => ledger.nextReport({ fence, now, windowMs: DAY_MS });
      await giveUp(LATER + 2 * DAY_MS);
      await ledger.resolveReport({ reportId: taken.reportId, taken: true, now: LATER + 3 * DAY_MS });
      for (const { reportId } of [unsent, late]) {
        await ledger.resolveReport({ reportId, taken: false, now: LATER + 3 * DAY_MS });
        await ledger.recordAttempt({ fence, reportId, now: LATER + 4 * DAY_MS });
      }
      await settle(ledger, late);
      await giveUp(LATER + 6 * DAY_MS);
      await ledger.releaseFlusher(fence);
    },
  },
  {
    name: "uses that were refused: reported again, or looked at by a person",
    async fill(ledger) {
      const fence = await leaseFlusher(ledger, LATER);
      const refuse = async (runId: string) => {
        await crawl(ledger, {
          runId,
          at: LATER,
          pages: { [`/w/${runId}`]: "settled" },
          priceMicros: 13_100,
          useReserveMicros: 13_100,
        });
        const { reportId } = await freeze(ledger, fence, { idempotencyId: runId, now: LATER });
        const idempotencyIds = [`${runId}-1`, `${runId}-2`] as const;
        const refusal = { status: 400, detail: "no", idempotencyIds, licenseIdField: "licenseCuid" };
        await ledger.rejectReport({ fence, reportId, ...refusal, now: LATER + 800 });
      };
      await refuse("refused");
      await ledger.retryRejected({ now: LATER + 900 });
      await settle(ledger, await freeze(ledger, fence, { idempotencyId: "retried", now: LATER + 900 }));
      await refuse("looked-at");
      await closeLast(ledger, "rejected_entry", LATER + 1_000);
      await ledger.releaseFlusher(fence);
    },
  },
  {
    name: "a budget that later uses passed, and passed again after a person had looked at it",
    async fill(ledger) {
      const budgets = [{ ...NO_LIMIT, limitMicros: toMicros(1) }];
      await crawl(ledger, { runId: "used", at: LATER, pages: { "/w/used": "settled" }, priceMicros: 13_200 });
      await recordUses(ledger, [createUse("/w/used")], { budgets, now: LATER });
      await closeLast(ledger, "over_budget_use", LATER + 1_000);
      await recordUses(ledger, [createUse("/w/used"), createUse("/w/used")], { budgets, now: LATER + 2_000 });
    },
  },
  {
    name: "pages that a person keeps off, charged and not charged, one denied since, one answered late",
    async fill(ledger) {
      const pages = { "/w/lost": "in_doubt", "/w/gone": "in_doubt" } as const;
      const ids = await crawl(ledger, { runId: "lost", at: LATER, pages, priceMicros: 13_300 });
      for (const [path, charged] of [
        ["/w/lost", true],
        ["/w/gone", false],
      ] as const) {
        await ledger.resolvePurchase({ purchaseId: ids[path] ?? 0, charged, keepOff: true, now: LATER + DAY_MS });
      }
      const content = createContent("https://news.example/w/gone");
      await ledger.settlePurchase(toSettlement(ids["/w/gone"] ?? 0, { now: LATER + DAY_MS + 1_000, content }));
      const walk = { entries: [toDatedEntry("/w/lost")] };
      await crawl(ledger, { runId: "kept off", at: LATER + DAY_MS, pages: {}, walk });
    },
  },
  {
    name: "a run that was cancelled in the middle of its work",
    async fill(ledger) {
      await beginLongCrawl(ledger, "given up", NOON, "cancel.example");
      const worker = { process: "here:4:d", now: NOON, aliveMs: 60_000, gone: [] };
      await ledger.cancelRun({ runId: "given up", ...worker });
    },
  },
  {
    name: "denials and runs of long ago that were pruned",
    async fill(ledger) {
      const verdict = { kind: "denied", ruleIndex: null, reason: "no_rule_matched", detail: null } as const;
      const rate = {
        license: ON_DEMAND,
        price: { micros: toMicros(13_400), currency: "USD" },
        error: null,
        validUntilAt: null,
      };
      const listing = { rates: [rate], unreadable: [] };
      const old = { at: LONG_AGO, host: "old.example", priceMicros: 13_400 };
      await crawl(ledger, {
        ...old,
        runId: "long ago",
        pages: { "/1": "settled", "/2": "settled" },
        quick: {
          decisions: ([first = 0, second = 0]) => [toApproval(first, rate), { pageId: second, listing, verdict }],
        },
      });
      await crawl(ledger, {
        ...old,
        runId: "in vain",
        pages: {},
        walk: {
          entries: [toDatedEntry("/3", "old.example")],
          rejected: [{ raw: "javascript:alert(1)", reason: "scheme" }],
        },
        quick: { decisions: ([pageId = 0]) => [{ pageId, listing, verdict }] },
      });
      await crawl(ledger, {
        runId: "since",
        at: NOON,
        host: "old.example",
        pages: { "/1": "settled" },
        priceMicros: 13_400,
      });
      await ledger.prune({ before: LONG_AGO + DAY_MS, dryRun: false });
    },
  },
];

async function closeLast(ledger: Ledger, kind: OpenItemKind, now: number): Promise<void> {
  const { openItems } = await ledger.readStatus();
  await ledger.closeItem({ itemId: openItems.findLast((item) => item.kind === kind)?.id ?? 0, now });
}
