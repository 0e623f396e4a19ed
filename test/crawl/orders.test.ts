/** What `run.order` buys while money is short, against the gateway's own account: whoever else buys, and however long its answers take. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { RunOrder } from "../../src/policy/rule.ts";
import type { PageInput } from "../../src/sandbox/pages/page.ts";
import { createRandom } from "../../src/sandbox/random.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const HOSTS = ["a.example", "b.example", "c.example"];
const PAGES = 20;
/** Chosen so that prices repeat, and the order has to tell equal pages apart. */
const STEP = 1_000;
const STEPS = 12;
const DAY_MS = 86_400_000;
const EPOCH = Date.UTC(2026, 0, 1);

interface PricedPage extends PageInput {
  readonly price: number;
}

type Site = readonly [host: string, pages: readonly PricedPage[]];

function drawSites(hosts: readonly string[]): readonly Site[] {
  const random = createRandom(17);
  const draw = (below: number) => Math.floor(random() * below);
  return hosts.map((host) => [
    host,
    Array.from({ length: PAGES }, (_, index) => {
      const price = draw(STEPS) * STEP;
      return {
        url: `https://${host}/${["best", "good", "other"][draw(3)]}/${index}`,
        markdown: `Page ${index}.`,
        lastMod: draw(6) === 0 ? null : new Date(EPOCH + draw(30) * DAY_MS).toISOString(),
        rates: [{ priceMicros: price }],
        price,
      };
    }),
  ]);
}

const total = (pages: readonly { readonly price: number }[]) => pages.reduce((sum, { price }) => sum + price, 0);
const thirdOf = (sites: readonly Site[]) => Math.floor(total(sites.flatMap(([, pages]) => pages)) / 3);

async function open(sites: readonly Site[], order: RunOrder, seed = 1, priceRise = 0): Promise<CrawlWorld> {
  const config: ConfigFile = {
    gateway: { concurrency: 6, quoteBatchSize: 5, catalogPageSize: 7 },
    run: { order },
    budgets: [{ scope: "all", per: "total", limit: `${thirdOf(sites) / 1_000_000} USD` }],
    policies: {
      standard: {
        rules: [
          { allow: { urls: ["/best/**"], value: 5 } },
          { allow: { urls: ["/good/**"], value: 2 } },
          { allow: {} },
        ],
      },
    },
    sites: sites.map(([host]) => ({ host, policy: "standard" })),
  };
  const world = await createCrawlWorld({
    sandbox: {
      sites: sites.map(([host, pages]) => ({ kind: "pages", host, pages: pages.map(({ price: _, ...page }) => page) })),
      faults: {
        "catalog:slow": 0.4,
        "bulk:slow": 0.4,
        "token:slow": 0.2,
        "content:slow": 0.2,
        "price-rise": priceRise,
      },
      slowMs: 12,
      seed,
    },
    config,
  });
  onTestFinished(world.close);
  return world;
}

/** What the gateway charged: each page once, all in all within the budget, with nothing over that fits and no candidate. */
function expectWellSpent({ sandbox, ledgerFile }: CrawlWorld, sites: readonly Site[], order: RunOrder): string[] {
  const { charges } = sandbox.audit();
  const bought = charges.map(({ url }) => url).sort();
  expect(new Set(bought).size).toBe(bought.length);
  const left = thirdOf(sites) - charges.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
  expect(left).toBeGreaterThanOrEqual(0);
  // Under the order of the catalog, a budget that was met once stops buying (decision 0008).
  const all = order === "catalog" ? [] : sites.flatMap(([, pages]) => pages);
  const over = all.filter(({ url }) => !bought.includes(url));
  expect(over.filter(({ price }) => price <= left)).toEqual([]);
  expect(compareAccounts(sandbox, ledgerFile, { extraCharges: new Map() })).toEqual([]);
  const database = new Database(ledgerFile, { readonly: true });
  expect(database.prepare("SELECT count(*) FROM candidate").pluck().get()).toBe(0);
  database.close();
  return bought;
}

/** From the best down, what still fits. */
function takeWhatFits(sites: readonly Site[], rank: (page: PricedPage) => number): readonly string[] {
  let left = thirdOf(sites);
  return sites
    .flatMap(([, pages]) => pages)
    .toSorted((a, b) => rank(a) - rank(b) || a.price - b.price || ageOf(a) - ageOf(b) || (a.url < b.url ? -1 : 1))
    .filter(({ price }) => {
      const fits = price <= left;
      left -= fits ? price : 0;
      return fits;
    })
    .map(({ url }) => url)
    .sort();
}

const ageOf = ({ lastMod }: PageInput) => (lastMod == null ? Number.MAX_SAFE_INTEGER : -Date.parse(lastMod));

test.each([
  ["newest", HOSTS, ageOf],
  ["cheapest", HOSTS, ({ price }: PricedPage) => price],
  ["value", HOSTS, null],
  ["catalog", HOSTS.slice(0, 1), null],
] as const)(
  "the same world gives the same purchases under %s, however long each answer takes",
  async (order, hosts, rank) => {
    const sites = drawSites(hosts);
    const purchases: (readonly string[])[] = [];
    for (const seed of [1, 2]) {
      const world = await open(sites, order, seed);
      const report = await (await world.openAgent()).run();
      expect(report.state).toBe("budget_exhausted");
      purchases.push(expectWellSpent(world, sites, order));
    }
    const [first] = purchases;
    expect(purchases).toEqual([first, first]);
    if (rank !== null) {
      expect(first).toEqual(takeWhatFits(sites, rank));
    }
  },
);

test("a plan in an order of its own is bought in the order of its lines, whatever is configured", async () => {
  const sites = drawSites(HOSTS.slice(0, 2));
  const world = await open(sites, "catalog");
  const agent = await world.openAgent();
  const out = join(world.directory, "plan.jsonl");
  await agent.plan({ order: "cheapest", out });
  const [header, ...lines] = (await readFile(out, "utf8")).trimEnd().split("\n");
  expect(JSON.parse(header ?? "")).toMatchObject({ configuration: { order: "cheapest" } });
  const cheapest = takeWhatFits(sites, ({ price }) => price);
  expect(lines.map((line) => JSON.parse(line).url).sort()).toEqual(cheapest);
  expect((await agent.run({ plan: out })).plan).toMatchObject({ bought: cheapest.length });
  expect(expectWellSpent(world, sites, "cheapest")).toEqual(cheapest);
});

test.each([["newest"], ["cheapest"], ["value"]] as const)(
  "two runs of different sites at once share one budget under %s: nothing above it, each page once, and nothing left that fits",
  async (order) => {
    const sites = drawSites(HOSTS.slice(0, 2));
    const world = await open(sites, order);
    const agents = [await world.openAgent(), await world.openAgent()];
    const reports = await Promise.all(agents.map((agent, index) => agent.run({ hosts: [HOSTS[index] ?? ""] })));
    // The run that ends last takes all that is left.
    expect(reports.map(({ state }) => state)).toContain("budget_exhausted");
    const bought = expectWellSpent(world, sites, order);
    expect(new Set(bought.map((url) => new URL(url).host)).size).toBe(2);
  },
);

test("a page that could not be bought leaves its place under maxPages to the next best", async () => {
  const sites = drawSites(HOSTS.slice(0, 1));
  const world = await open(sites, "cheapest", 1, 0.4);
  const report = await (await world.openAgent()).run({ maxPages: 6 });
  expect(report).toMatchObject({ state: "max_pages", pages: { bought: 6 } });
  expect(report.pages.failed).toBeGreaterThan(0);
  expect(world.sandbox.audit().charges).toHaveLength(6);
});
