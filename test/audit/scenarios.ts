/** Ledgers in every state that is correct, and what the audit must report for each: usually nothing. */
import type { Budget } from "../../src/budget/budget.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { toMicros } from "../../src/money/micros.ts";
import { buyPages, createContent, NO_LIMIT, ON_DEMAND } from "../doubles/ledger-shop.ts";
import {
  decideBatch,
  EMPTY_BOOK,
  toApproval,
  toRate,
  toSettlement,
  toSite,
  toSpec,
  walkPage,
} from "../doubles/ledger-steps.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../doubles/usage-outbox-driver.ts";
import { beginLongCrawl, crawl, DAY_MS, NOON, toDatedEntry } from "./crawling.ts";
import { LIST_SCENARIOS } from "./list-scenarios.ts";
import { REPORT_SCENARIOS } from "./report-scenarios.ts";
import { RESOLUTION_SCENARIOS } from "./resolution-scenarios.ts";
import { RUN_SCENARIOS } from "./run-scenarios.ts";
import { WEBHOOK_SCENARIOS } from "./webhook-scenarios.ts";

export interface Scenario {
  readonly name: string;
  fill(ledger: Ledger): Promise<void>;
  /** Words of each violation that must be named, in any order; nothing else may be. @default none */
  readonly named?: readonly string[];
  /** Working state that is thrown away. */
  readonly leavesNothing?: boolean;
}

const HOUR_MS = 3_600_000;
const ALWAYS = { when: "always", maxAgeMs: null } as const;

export const SCENARIOS: readonly Scenario[] = [
  ...RUN_SCENARIOS,
  ...LIST_SCENARIOS,
  ...WEBHOOK_SCENARIOS,
  {
    name: "pages bought with fees, used again, and reported",
    async fill(ledger) {
      await crawl(ledger, {
        runId: "bought",
        at: NOON,
        pages: { "/a": "settled", "/b": "settled" },
        feeMicros: 150,
        lastModAt: NOON - DAY_MS,
      });
      await recordUses(ledger, [
        createUse("/a", { times: 3, key: "line 1" }),
        createUse("/a", { times: 2 }),
        createUse("/b"),
      ]);
      const fence = await leaseFlusher(ledger);
      const batch = await freeze(ledger, fence, { idempotencyId: "reported" });
      await ledger.recordAttempt({ fence, reportId: batch.reportId, now: NOON });
      await settle(ledger, batch);
      await ledger.releaseFlusher(fence);
      const budgets = [{ ...NO_LIMIT, limitMicros: toMicros(1) }];
      await recordUses(ledger, [createUse("/b", { times: 4, key: "line 2" })], { budgets });
      await recordUses(ledger, [createUse("/b", { times: 5 })], { defaultTerms: { kinds: ["fetch"], billed: [] } });
      await recordUses(ledger, [createUse("/b", { times: 6 })], {
        defaultTerms: { kinds: ["fetch", "use"], billed: [] },
      });
    },
  },
  {
    name: "an incremental walk over pages that are new, changed, unchanged, excluded or no pages at all",
    async fill(ledger) {
      const at = NOON + DAY_MS;
      await crawl(ledger, {
        runId: "first",
        at: NOON,
        pages: { "/r/1": "settled", "/r/2": "settled" },
        lastModAt: NOON - DAY_MS,
      });
      await crawl(ledger, {
        runId: "second",
        at,
        pages: { "/r/1": "settled", "/r/3": "settled" },
        priceMicros: 12_000,
        walk: {
          entries: [
            toDatedEntry("/r/3", "news.example", at - HOUR_MS),
            { ...toDatedEntry("/r/4", "news.example", at - HOUR_MS), excluded: true },
            toDatedEntry("/r/1", "news.example", at - 2 * HOUR_MS),
            toDatedEntry("/r/2", "news.example", NOON - DAY_MS),
          ],
          rejected: [{ raw: "javascript:alert(1)", reason: "scheme" }],
          refresh: { when: "modified", maxAgeMs: null },
        },
      });
    },
  },
  {
    name: "pages fetched as HTML, as both, and for an index",
    async fill(ledger) {
      await crawl(ledger, {
        runId: "html",
        at: NOON,
        pages: { "/f/html": "settled" },
        quick: { format: "html", reportsFetch: false },
        priceMicros: 10_100,
      });
      const both = await crawl(ledger, {
        runId: "both",
        at: NOON,
        pages: { "/f/due": "settled", "/f/done": "settled", "/f/failed": "settled" },
        quick: { format: "both" },
        priceMicros: 10_200,
      });
      await ledger.recordMarkdown({ purchaseId: both["/f/done"] ?? 0, markdown: "# derived", failure: null });
      await ledger.recordMarkdown({ purchaseId: both["/f/failed"] ?? 0, markdown: null, failure: "input_too_large" });
      await crawl(ledger, {
        runId: "index",
        at: NOON,
        pages: { "/f/index": "settled", "/f/index-2": "released" },
        quick: { intent: "indexing", format: "html", reportsFetch: false },
      });
      const license = { ...ON_DEMAND, licenseType: "CUSTOM_LICENSE", cuid: "cuid-custom" };
      const terms = { license, unitMicros: toMicros(4_321), currency: "USD" };
      await recordUses(ledger, [createUse("/f/index", { terms, times: 2 })]);
    },
  },
  {
    name: "content that was purged, because its rights ended and because it was named",
    async fill(ledger) {
      const quick = { format: "both", retentionMs: HOUR_MS } as const;
      await crawl(ledger, {
        runId: "purged",
        at: NOON,
        pages: { "/purged/1": "settled", "/purged/2": "settled" },
        quick,
        priceMicros: 10_300,
      });
      const policies = { standard: { retentionMs: null, onExpiry: "purge" } } as const;
      const named = { urls: ["https://news.example/purged/1"], reason: "a letter" };
      await ledger.purge({ policies, hosts: null, named, now: NOON, dryRun: false, limit: 1 });
    },
  },
  {
    name: "purchases in doubt, resolved either way, answered late, and bought again",
    async fill(ledger) {
      const pages = {
        "/d/open": "in_doubt",
        "/d/charged": "in_doubt",
        "/d/free": "in_doubt",
        "/d/late": "in_doubt",
        "/d/both": "in_doubt",
        "/d/over": "released",
        "/d/no": "released",
      } as const;
      const ids = await crawl(ledger, { runId: "doubts", at: NOON, pages, priceMicros: 10_300, feeMicros: 50 });
      const [charged = 0, free = 0, late = 0, both = 0, over = 0] = [
        "/d/charged",
        "/d/free",
        "/d/late",
        "/d/both",
        "/d/over",
      ].map((path) => ids[path] ?? 0);
      const now = NOON + 2 * HOUR_MS;
      await ledger.resolvePurchase({ purchaseId: charged, charged: true, now });
      await ledger.resolvePurchase({ purchaseId: both, charged: true, now: now + 1 });
      await ledger.resolvePurchase({ purchaseId: free, charged: false, now: now + 2 });
      for (const [purchaseId, path] of [
        [late, "/d/late"],
        [both, "/d/both"],
        [over, "/d/over"],
        [free, "/d/free"],
      ] as const) {
        const content = createContent(`https://news.example${path}`);
        await ledger.settlePurchase(
          toSettlement(purchaseId, { now: now + 10 + purchaseId, content, feeMicros: toMicros(50) }),
        );
      }
      await crawl(ledger, {
        runId: "rebuy",
        at: NOON + DAY_MS,
        pages: { "/d/open": "settled" },
        quick: { inDoubt: "rebuy" },
        priceMicros: 10_400,
      });
      const again = await crawl(ledger, {
        runId: "hold",
        at: NOON + DAY_MS,
        pages: {},
        walk: { entries: [toDatedEntry("/d/open")] },
      });
      expectNothing(again);
    },
  },
  {
    name: "a purchase that costs nothing and was never answered",
    async fill(ledger) {
      const pages = { "/d/nothing": "in_doubt" } as const;
      await crawl(ledger, { runId: "nothing", at: NOON, pages, priceMicros: 0 });
    },
  },
  {
    name: "charges above the cap and in another currency",
    async fill(ledger) {
      await crawl(ledger, {
        runId: "over",
        at: NOON,
        host: "dear.example",
        pages: { "/o/1": { charge: { micros: toMicros(12_500), currency: "USD" } } },
      });
      await crawl(ledger, {
        runId: "euro",
        at: NOON,
        host: "euro.example",
        pages: { "/o/2": { charge: { micros: toMicros(9_000), currency: "EUR" } }, "/o/3": "reserved" },
      });
    },
  },
  {
    name: "a charge that nobody could read, another licence, content that came empty, and a charge that differs from a person's word",
    async fill(ledger) {
      await crawl(ledger, {
        runId: "unread",
        at: NOON,
        host: "unread.example",
        pages: { "/q/1": { flaws: [{ kind: "charge_unreadable", detail: "a text" }], isEmpty: true } },
        priceMicros: 12_100,
      });
      const other = await crawl(ledger, {
        runId: "other licence",
        at: NOON,
        host: "lawyer.example",
        pages: { "/q/2": { flaws: [{ kind: "license_mismatch", detail: "another" }] } },
        priceMicros: 12_200,
      });
      const { openItems } = await ledger.readStatus();
      const looked = openItems.find(({ purchaseId }) => purchaseId === other["/q/2"]);
      await ledger.closeItem({ itemId: looked?.id ?? 0, now: NOON });
      const { "/q/3": purchaseId = 0 } = await crawl(ledger, {
        runId: "late",
        at: NOON,
        host: "late.example",
        pages: { "/q/3": "in_doubt" },
        priceMicros: 12_300,
      });
      await ledger.resolvePurchase({ purchaseId, charged: true, now: NOON });
      const charge = { micros: toMicros(12_000), currency: "USD" };
      await ledger.settlePurchase(toSettlement(purchaseId, { charge, content: createContent("/q/3") }));
    },
  },
  ...REPORT_SCENARIOS,
  {
    name: "a budget that is used up, and pages that a rule denied",
    async fill(ledger) {
      const budget: Budget = { ...NO_LIMIT, limitMicros: toMicros(20_000) };
      const at = NOON;
      await ledger.createRun(toSpec({ runId: "poor", startedAt: at, sites: [toSite({ host: "poor.example" })] }));
      await walkPage(ledger, {
        runId: "poor",
        entries: ["/1", "/2", "/3", "/4"].map((path) => toDatedEntry(path, "poor.example")),
        refresh: ALWAYS,
        nextPageToken: "more",
        quoteBatchSize: 4,
      });
      const scope = { kind: "site", host: "poor.example" } as const;
      await decideBatch(ledger, {
        runId: "poor",
        budgets: [{ ...budget, scope }],
        decisions: (ids) =>
          ids.map((pageId, index) =>
            index === 0
              ? {
                  pageId,
                  listing: { rates: [toRate(999)], unreadable: [] },
                  verdict: { kind: "denied", ruleIndex: 2, reason: "denied_by_rule", detail: "CITATION_REQUIRED" },
                }
              : toApproval(pageId, toRate(15_000)),
          ),
      });
      await ledger.endRun({ runId: "poor", state: "budget_exhausted", reason: "the budget is used up", now: at });
    },
  },
  {
    name: "a run in the middle of its work",
    fill: (ledger) => beginLongCrawl(ledger, "working", NOON, "long.example"),
  },
  {
    name: "a clock that stepped back by an hour while a page was bought twice",
    async fill(ledger) {
      await crawl(ledger, {
        runId: "before",
        at: NOON,
        pages: { "/c": "settled", "/c/2": "in_doubt" },
        priceMicros: 11_300,
      });
      await crawl(ledger, { runId: "after", at: NOON + 1_500, pages: { "/c": "settled" }, priceMicros: 11_400 });
      await crawl(ledger, {
        runId: "back",
        at: NOON - HOUR_MS,
        pages: { "/c": { now: NOON - 2 * HOUR_MS } },
        priceMicros: 11_500,
      });
    },
  },
  {
    name: "hashes that were looked for",
    async fill(ledger) {
      await buyPages(ledger, { runId: "hashed", paths: ["/h"] });
      await ledger.indexHashes({ limit: 10_000 });
    },
  },
  {
    name: "a run over midnight, beside another one on the same page",
    async fill(ledger) {
      const midnight = Date.UTC(2026, 10, 23);
      await crawl(ledger, {
        runId: "sunday",
        at: midnight - 3_000,
        pages: { "/m": "settled", "/m/2": "started" },
        priceMicros: 11_600,
        end: null,
      });
      await crawl(ledger, { runId: "monday", at: midnight + 1, pages: { "/m": "settled" }, priceMicros: 11_700 });
      await crawl(ledger, {
        runId: "new year",
        at: Date.UTC(2027, 0, 1),
        pages: { "/m": "settled" },
        priceMicros: 11_800,
      });
    },
  },
  ...RESOLUTION_SCENARIOS,
  {
    name: "a plan under way",
    leavesNothing: true,
    async fill(ledger) {
      await ledger.createRun(toSpec({ runId: "plan", kind: "planning", sites: [toSite({ host: "planned.example" })] }));
      await walkPage(ledger, {
        runId: "plan",
        entries: [toDatedEntry("/1", "planned.example"), toDatedEntry("/2", "planned.example")],
        nextPageToken: "more",
        quoteBatchSize: 1,
      });
      await decideBatch(ledger, { runId: "plan", book: EMPTY_BOOK });
    },
  },
];

/** Everything that can happen, in one ledger. */
export async function fillWithAll(ledger: Ledger): Promise<void> {
  for (const { fill } of SCENARIOS) {
    await fill(ledger);
  }
}

function expectNothing(bought: object): void {
  if (Object.keys(bought).length > 0) {
    throw new Error("a page in doubt was bought again");
  }
}
