/** docs/orders.md says what each order buys for the same money: the same runs, and the same numbers. */
import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { formatMoney } from "../../src/money/format-money.ts";
import { toMicros } from "../../src/money/micros.ts";
import { RUN_ORDERS, type RunOrder } from "../../src/policy/rule.ts";
import { type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const PAGES = 300;
const BUDGET = "0.90 USD";
const NEWEST = 100;
const CENT = 10_000;

test("each order buys what the document says, with a third of the money that all pages cost", async () => {
  const document = await readFile(new URL("../../docs/orders.md", import.meta.url), "utf8");
  const rows = new Map<string, string>();
  let world: CrawlWorld | null = null;
  for (const order of RUN_ORDERS) {
    world = await open(order);
    const agent = await world.openAgent();
    if (order === "catalog") {
      const { USD: all } = (await agent.plan()).costWithoutLimits;
      const third = toMicros(Math.floor((all?.setAsideMicros ?? 0) / 3 / CENT) * CENT);
      expect(toText(third)).toBe(BUDGET);
      expect(document).toContain(`${all?.pages} pages are for sale, for ${toText(all?.setAsideMicros ?? 0)} in all`);
    }
    await agent.run();
    rows.set(order, toRow(order, world));
  }
  const table = document
    .split("\n")
    .filter((line) => [...rows.keys()].some((order) => line.startsWith(`| \`${order}\` | `) && /\d+ \|/.test(line)));
  expect(table).toEqual([...rows.values()]);
});

async function open(order: RunOrder): Promise<CrawlWorld> {
  const world = await createCrawlWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: 200 }] },
    config: {
      run: { order },
      budgets: [{ scope: "all", per: "total", limit: BUDGET }],
      policies: { standard: { rules: [{ allow: { urls: ["/articles/*5*"], value: 10 } }, { allow: { value: 1 } }] } },
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  onTestFinished(world.close);
  return world;
}

/** By the gateway's account. */
function toRow(order: RunOrder, { sandbox }: CrawlWorld): string {
  const { charges } = sandbox.audit();
  const numbers = charges.map(({ url }) => Number(/\d+$/.exec(url)?.[0]));
  const value = numbers.reduce((sum, number) => sum + (String(number).includes("5") ? 10 : 1), 0);
  const newest = numbers.filter((number) => number < NEWEST).length;
  const spent = toText(charges.reduce((sum, { priceMicros }) => sum + priceMicros, 0));
  return `| \`${order}\` | ${charges.length} | ${newest} | ${value} | ${spent} |`;
}

function toText(micros: number): string {
  return formatMoney({ micros: toMicros(micros), currency: "USD" });
}
