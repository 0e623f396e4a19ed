/** The worlds in which each operation fails: what is sold, what is bought, and what must be stored in the end. */
import type { UseInput } from "../../src/agent/agent.ts";
import type { PageInput } from "../../src/sandbox/pages/page.ts";
import type { RateInput } from "../../src/sandbox/pricing/rate.ts";
import type { WorldPlan } from "./world.ts";

export interface NthPlan extends WorldPlan {
  /** Pages that policy and budget allow, with what each costs. Indexing pages cost nothing. */
  readonly pages: ReadonlyMap<string, { readonly priceMicros: number; readonly intent: "content" | "indexing" }>;
  /** How many of the pages fit the budget. */
  readonly affordable: number;
  readonly limitMicros: number;
  /** Recorded after the run, each with a key: recording one again changes nothing. */
  readonly laterUses: readonly (UseInput & { readonly times: number; readonly key: string })[];
}

const NEWS = "https://news.example";
const INDEX = "https://index.example";
const SHOP = "https://shop.example";

/** Further apart than a walk's overlap, so that a high-water mark that moved too early hides the pages below it. */
const day = (number: number) => new Date(Date.UTC(2026, 10, number, 12)).toISOString();

function page(url: string, dayNumber: number, rates: readonly RateInput[]): PageInput {
  return { url, lastMod: day(dayNumber), title: `Page ${url}`, markdown: `# ${url}\n\nThis is ${url}.`, rates };
}

/** A paid site with a free page, a page with several licenses and one that is too dear; an indexing site; billed later uses. */
export const MIXED_PLAN: NthPlan = {
  sites: [
    {
      kind: "pages",
      host: "news.example",
      pages: [
        page(`${NEWS}/paid-1`, 18, [{ priceMicros: 1_000 }]),
        page(`${NEWS}/free`, 16, [{ priceMicros: 0 }]),
        page(`${NEWS}/dear`, 14, [{ priceMicros: 50_000 }]),
        page(`${NEWS}/many`, 12, [
          { priceMicros: 4_000 },
          { priceMicros: 500, licenseType: "ON_DEMAND_FULL_USE_LICENSE" },
          { priceMicros: 2_500, licenseType: "CUSTOM_LICENSE", cuid: "archive" },
        ]),
        page(`${NEWS}/paid-2`, 10, [{ priceMicros: 2_000 }]),
        page(`${NEWS}/paid-3`, 8, [{ priceMicros: 3_000 }]),
      ],
    },
    {
      kind: "pages",
      host: "index.example",
      pages: [page(`${INDEX}/a`, 17, []), page(`${INDEX}/b`, 9, [])],
    },
  ],
  config: {
    budgets: [{ scope: "all", limit: "1 USD" }],
    policies: {
      reading: {
        rules: [
          { allow: { license: "ON_DEMAND_LICENSE", maxPrice: "0.01 USD" } },
          { allow: { license: "CUSTOM_LICENSE", cuid: ["archive"] } },
        ],
      },
      indexing: { intent: "indexing", rules: [{ allow: {} }] },
    },
    sites: [
      { host: "news.example", policy: "reading" },
      { host: "index.example", policy: "indexing" },
    ],
    reporting: { batchSize: 3 },
  },
  pages: new Map([
    [`${NEWS}/paid-1`, { priceMicros: 1_000, intent: "content" }],
    [`${NEWS}/free`, { priceMicros: 0, intent: "content" }],
    [`${NEWS}/many`, { priceMicros: 2_500, intent: "content" }],
    [`${NEWS}/paid-2`, { priceMicros: 2_000, intent: "content" }],
    [`${NEWS}/paid-3`, { priceMicros: 3_000, intent: "content" }],
    [`${INDEX}/a`, { priceMicros: 0, intent: "indexing" }],
    [`${INDEX}/b`, { priceMicros: 0, intent: "indexing" }],
  ]),
  affordable: 7,
  limitMicros: 1_000_000,
  laterUses: [
    { url: `${NEWS}/paid-1`, times: 3, key: "later-1" },
    { url: `${NEWS}/many`, times: 2, key: "later-2" },
  ],
};

const SHOP_PRICE_MICROS = 1_000;
const SHOP_PATHS = ["/1", "/2", "/3", "/4", "/5"];

/** Pages at one price, bought as HTML with Markdown derived from it, and a budget that the last but one nearly meets. */
export const TIGHT_PLAN: NthPlan = {
  sites: [
    {
      kind: "pages",
      host: "shop.example",
      pages: SHOP_PATHS.map((path, index) => page(SHOP + path, 18 - 2 * index, [{ priceMicros: SHOP_PRICE_MICROS }])),
    },
  ],
  config: {
    budgets: [
      { scope: "all", limit: "0.0035 USD" },
      { scope: "site:shop.example", per: "month", limit: "0.1 USD" },
    ],
    policies: { standard: { format: "both", rules: [{ allow: { maxPrice: "0.01 USD" } }] } },
    sites: [{ host: "shop.example", policy: "standard" }],
    reporting: { batchSize: 2 },
  },
  pages: new Map(SHOP_PATHS.map((path) => [SHOP + path, { priceMicros: SHOP_PRICE_MICROS, intent: "content" }])),
  affordable: 3,
  limitMicros: 3_500,
  laterUses: [],
};

/** The same pages, all quoted first, and decided from the best down: those that do not fit are tried again when money comes back. */
export const ORDERED_PLAN: NthPlan = { ...TIGHT_PLAN, config: { ...TIGHT_PLAN.config, run: { order: "value" } } };
