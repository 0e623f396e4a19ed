/** `agent.plan({ list })`: a list is planned, priced and approved like a site, and the run that buys the plan buys exactly what was approved. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import type { Agent, ListedLine } from "../../src/index.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type ConfigFile, type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const PAGES = 30;
const CONFIG: ConfigFile = {
  budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
  sites: [
    { host: "news.example", policy: "standard", exclude: ["/tag/**"] },
    { host: "other.example", policy: "standard" },
  ],
};

interface PlanWorld extends CrawlWorld {
  readonly agent: Agent;
  readonly plan: string;
  readonly list: { readonly file: string };
}

/** Page 7 costs 7 cents. */
const urlOf = (number: number) => `https://news.example/${number}`;
const priceOf = (number: number) => number * 10_000;

async function open(config: ConfigFile = {}): Promise<PlanWorld> {
  const pages = Array.from({ length: PAGES }, (_, index) => ({
    url: urlOf(index + 1),
    markdown: `The page ${index + 1}.`,
    rates: [{ priceMicros: priceOf(index + 1) }],
  }));
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "pages", host: "news.example", pages }] },
    config: { ...CONFIG, ...config },
  });
  onTestFinished(world.close);
  const agent = await world.openAgent();
  return { ...world, agent, plan: join(world.directory, "plan.jsonl"), list: { file: join(world.directory, "list") } };
}

const write = ({ list }: PlanWorld, lines: readonly (number | string | Partial<ListedLine>)[]) =>
  writeFile(
    list.file,
    lines
      .map((line) =>
        typeof line === "number"
          ? urlOf(line)
          : typeof line === "string"
            ? line
            : JSON.stringify({ url: urlOf(1), ...line }),
      )
      .join("\n"),
  );

const bought = ({ sandbox }: CrawlWorld) =>
  sandbox.audit().charges.map(({ url }) => Number(new URL(url).pathname.slice(1)));

test("plans the pages of a list in its order under its caps, and buys exactly them", async () => {
  const world = await open();
  const { agent, plan, list, ledgerFile, sandbox } = world;
  await write(world, [
    9,
    { url: urlOf(4), key: "four", value: 3 },
    { url: urlOf(20), maxPrice: "0.19 USD" },
    "nothing",
    9,
    "https://news.example/tag/x",
    "https://unknown.example/x",
    2,
  ]);
  const report = await agent.plan({ list, out: plan, pages: 10 });
  expect(report).toMatchObject({
    pages: { seen: 5, excluded: 1, approved: 3, denied: 1 },
    denials: { max_price: 1 },
    cost: { USD: { setAsideMicros: priceOf(9) + priceOf(4) + priceOf(2), pages: 3 } },
    list: {
      source: "list",
      path: list.file,
      lines: 8,
      isRead: true,
      pages: 5,
      repeated: 1,
      rejected: { not_a_url: 1, unknown_site: 1 },
      examples: [{ line: 4, raw: "nothing" }, { line: 7 }],
      goesOnFrom: null,
    },
    file: { pages: 3, setAsideMicros: { USD: priceOf(15) } },
  });
  expect(report.approvedPages.map(({ url, key, value }) => [url, key, value])).toEqual([
    [urlOf(9), null, null],
    [urlOf(4), "four", 3],
    [urlOf(2), null, null],
  ]);
  expect(bought(world)).toEqual([]);

  const run = await agent.run({ plan });
  expect(run).toMatchObject({ state: "completed", plan: { pages: 3, bought: 3, missed: {} } });
  expect(bought(world).sort()).toEqual([2, 4, 9]);
  const keys = [];
  for await (const { url, key } of agent.documents()) {
    keys.push([url, key]);
  }
  expect(keys).toContainEqual([urlOf(4), "four"]);
  await compareAccounts(sandbox, ledgerFile);
});

test.each([
  ["maxSpend", { maxSpend: "0.20 USD" }, [1, 2, 3, 4, 5], "max_spend", { maxSpend: "0.30 USD" }],
  ["maxPages", { maxPages: 7 }, [1, 2, 3, 4, 5, 6, 7], "max_pages", { maxPages: 7 }],
] as const)(
  "a plan of a list or of a site goes to its %s and no further",
  async (_name, limit, numbers, reason, limitOfSite) => {
    const world = await open();
    const { agent, plan, list } = world;
    await write(
      world,
      Array.from({ length: PAGES }, (_, index) => index + 1),
    );
    const planned = await agent.plan({ list, ...limit, out: plan });
    expect(planned).toMatchObject({
      pages: { approved: numbers.length },
      denials: { [reason]: PAGES - numbers.length },
    });
    expect((await readFile(plan, "utf8")).trimEnd().split("\n")).toHaveLength(1 + numbers.length);
    // Which pages of a site come first is not said: whichever it is, its price is within the limit.
    const ofSite = await agent.plan({ hosts: ["news.example"], ...limitOfSite });
    expect(ofSite.pages.approved).toBeGreaterThan(0);
    const [used, most] =
      reason === "max_pages" ? [ofSite.pages.approved, numbers.length] : [ofSite.cost.USD?.setAsideMicros, 300_000];
    expect(used).toBeLessThanOrEqual(most);
    expect(ofSite.denials[reason]).toBeGreaterThan(0);
    await agent.run({ plan });
    expect(bought(world).sort((a, b) => a - b)).toEqual([...numbers]);
  },
);

test("plans from the best down under an order, by the values of the list", async () => {
  const world = await open();
  const { agent, list } = world;
  await write(world, [
    { url: urlOf(10), value: 100 },
    { url: urlOf(2), value: 1 },
    { url: urlOf(5), value: 500 },
  ]);
  const named = async (order: "value" | "cheapest") => {
    const { approvedPages, warnings } = await agent.plan({ list, order, pages: 10 });
    expect(warnings).toEqual([]);
    return approvedPages.map(({ url }) => Number(new URL(url).pathname.slice(1)));
  };
  expect(await named("value")).toEqual([5, 10, 2]);
  expect(await named("cheapest")).toEqual([2, 5, 10]);
});

test("plans what is left of a list that a run has bought from before", async () => {
  const world = await open({
    sites: [{ host: "news.example", policy: "standard", refresh: { when: "always" } }],
  });
  const { agent, list, plan } = world;
  await write(world, [1, 2, 3, 4, 5, 6]);
  const run = await agent.run({ list, maxPages: 2 });
  expect(run.state).toBe("max_pages");
  const planned = await agent.plan({ list, out: plan });
  expect(planned).toMatchObject({ pages: { unchanged: 2, approved: 4 }, list: { goesOnFrom: run.runId } });
  await agent.run({ plan });
  expect(bought(world).sort()).toEqual([1, 2, 3, 4, 5, 6]);
  // What was planned is bought once, also by the list.
  await agent.run({ plan });
  expect(bought(world)).toHaveLength(6);
});

test("warns when a limit of the configuration would end the run that buys the plan", async () => {
  const world = await open({ run: { maxPages: 3, maxSpend: "0.10 USD" } });
  const { agent, list } = world;
  await write(world, [1, 2, 3, 4]);
  const { warnings, pages } = await agent.plan({ list, maxPages: 10, maxSpend: "1 USD" });
  expect(pages.approved).toBe(4);
  expect(warnings).toEqual([
    "run.maxPages is 3: to buy all of this plan, give licet run --plan --max-pages too",
    "run.maxSpend is 0.10 USD: to buy all of this plan, give licet run --plan --max-spend too",
  ]);
  expect((await agent.plan({ list, maxPages: 2, maxSpend: "0.05 USD" })).warnings).toEqual([]);
  expect((await agent.plan({ list })).pages.approved).toBe(3);
});

test("a list that cannot be read to its end leaves no plan and no file, and neither do wrong limits", async () => {
  const world = await open();
  const { agent, plan, list } = world;
  async function* breaking() {
    yield urlOf(1);
    throw new Error("the connection was reset");
  }
  await expect(agent.plan({ list: breaking(), out: plan })).rejects.toMatchObject({ code: "LIST_UNREADABLE" });
  await expect(agent.plan({ list, out: plan })).rejects.toMatchObject({ code: "LIST_UNREADABLE" });
  await write(world, [1]);
  await expect(agent.plan({ list, out: plan, maxSpend: "1 JPY" })).rejects.toMatchObject({ code: "USAGE_INVALID" });
  await expect(agent.plan({ list: 5 as never })).rejects.toMatchObject({ code: "USAGE_INVALID" });
  await expect(readFile(plan)).rejects.toMatchObject({ code: "ENOENT" });
  await agent.run({ list: [urlOf(30)] });
  await expect(agent.plan({ list: breaking(), out: plan })).rejects.toMatchObject({ code: "LIST_UNREADABLE" });
  const stopped = AbortSignal.abort();
  await expect(agent.plan({ list, out: plan, signal: stopped })).rejects.toMatchObject({ code: "INTERRUPTED" });
  await expect(readFile(plan)).rejects.toMatchObject({ code: "ENOENT" });
  expect(readRows(world.ledgerFile)).toEqual({ run: 1, run_list: 1, listed_page: 1, rejected_line: 0, frontier: 0 });
});

function readRows(ledgerFile: string): Record<string, unknown> {
  const database = new Database(ledgerFile, { readonly: true });
  try {
    const tables = ["run", "run_list", "listed_page", "rejected_line", "frontier"];
    return Object.fromEntries(
      tables.map((table) => [table, database.prepare(`SELECT count(*) FROM ${table}`).pluck().get()]),
    );
  } finally {
    database.close();
  }
}
