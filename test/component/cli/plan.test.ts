/** What `licet plan` shows of pages, prices and limits. */
import { expect, onTestFinished, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../../doubles/cli-world.ts";

async function open(own: Readonly<Record<string, unknown>>, pages = 20): Promise<CliWorld> {
  const world = await createCliWorld({ port: 0, sites: [newsSite(pages)], rates: ONE_PRICE }, own);
  onTestFinished(world.close);
  return world;
}

test("with --pages names the first pages that would be bought, with licence, price and rule", async () => {
  const { cli, json } = await open({});
  const { stdout, code } = await cli("plan", "--pages", "2");
  expect(code).toBe(0);
  const [, listed = ""] = /Would buy:\n([\s\S]*?)\n\n/.exec(stdout) ?? [];
  expect(listed.split("\n")).toEqual([
    expect.stringMatching(/^ +price +licence +rule +page$/),
    ...Array.from({ length: 2 }, () =>
      expect.stringMatching(/^ {2}0\.01 USD {2}ON_DEMAND_LICENSE {2}standard, rule 1 {2}https:\/\/news\.example\//),
    ),
    "  and 18 more pages",
  ]);
  const page = {
    url: expect.stringMatching(/^https:\/\/news\.example\//),
    host: "news.example",
    license: expect.objectContaining({ licenseType: "ON_DEMAND_LICENSE" }),
    priceMicros: PRICE_MICROS,
    setAsideMicros: PRICE_MICROS,
    currency: "USD",
    policyName: "standard",
    ruleIndex: 0,
    rule: "allow everything",
  };
  expect((await json("plan", "--pages")).value).toMatchObject({
    approvedPages: Array.from({ length: 20 }, () => page),
  });
  expect((await json("plan")).value).toMatchObject({ approvedPages: [] });
});

test("shows what a page sets aside where a fee is added to its price", async () => {
  const { cli } = await open({ gateway: { fee: { percent: 10 } } }, 1);
  expect((await cli("plan", "--pages")).stdout).toMatch(/price +with fees[\s\S]*0\.01 USD +0\.011 USD/);
});

test("says what everything would cost when a budget is too small, and what the budget leaves", async () => {
  const budgets = [{ scope: "all", per: "month", limit: "0.05 USD" }];
  const { cli, json } = await open({ budgets });
  expect((await cli("plan")).stdout).toContain(
    "  Without limits: 0.20 USD for 20 pages; the budget all per month (USD) leaves 0.05 USD, that buys 5.\n",
  );
  expect((await json("plan")).value).toMatchObject({
    cost: { USD: { setAsideMicros: 5 * PRICE_MICROS, pages: 5 } },
    costWithoutLimits: { USD: { setAsideMicros: 20 * PRICE_MICROS, pages: 20 } },
    pages: { denied: 15, deniedBy: { policy: 0, offer: 0, limit: 15, stored: 0 } },
  });
});

test("names each budget that runs out, and a limit of the run", async () => {
  const two = [
    { scope: "all", per: "month", limit: "0.05 USD" },
    { scope: "site:news.example", per: "day", limit: "0.05 USD" },
  ];
  const world = await open({ budgets: two });
  expect((await world.cli("plan")).stdout).toContain("that buys 5.");
  await world.configure({ run: { maxPages: 3 } });
  expect((await world.cli("plan")).stdout).toContain(
    "Without limits: 0.20 USD for 20 pages; the run ends at its maxPages, that buys 3.",
  );
});

test("refuses a number of pages that it cannot show", async () => {
  const { cli } = await open({});
  expect(await cli("plan", "--pages", "10001")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("a whole number from 1 to 10000"),
  });
});
