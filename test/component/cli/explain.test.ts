/** What `licet explain` concludes, as its first line, its key and its exit code. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../../doubles/cli-world.ts";

let world: CliWorld;
/** Of the two pages of the site, the one that a run has bought, and the other one. */
let bought: string;
let other: string;

beforeAll(async () => {
  world = await createCliWorld({ port: 0, sites: [newsSite(2)], rates: ONE_PRICE });
  await world.configure({ run: { maxPages: 1 } });
  const { approvedPages } = (await world.json("plan", "--pages")).value as { approvedPages: { url: string }[] };
  bought = approvedPages[0]?.url ?? "";
  await world.cli("run");
  await world.configure({});
  const left = (await world.json("plan", "--pages")).value as { approvedPages: { url: string }[] };
  other = left.approvedPages[0]?.url ?? "";
});
afterAll(() => world.close());
beforeEach(() => world.configure({}));

const site = (own: object) => ({ sites: [{ host: "news.example", policy: "standard", ...own }] });

async function conclusionOf(url: string, code = 0): Promise<unknown> {
  const said = await world.json("explain", url);
  expect(said.code).toBe(code);
  return (said.value as { conclusion: unknown }).conclusion;
}

test("a page that will be bought: at which price, under which rule", async () => {
  const { code, stdout } = await world.cli("explain", other);
  expect(code).toBe(0);
  expect(stdout.split("\n")[0]).toBe(`${other} will be bought for 0.01 USD under rule 1 of policy standard`);
  expect(await conclusionOf(other)).toEqual({
    willBeBought: true,
    reason: "approved",
    detail: "will be bought for 0.01 USD under rule 1 of policy standard",
    hint: null,
    priceMicros: PRICE_MICROS,
    currency: "USD",
    ruleIndex: 0,
    glob: null,
    place: null,
    purchaseId: null,
    openItemId: null,
    limit: null,
    leftMicros: null,
  });
});

describe("a page that will not be bought:", () => {
  test("its exclude glob, with the line of the configuration", async () => {
    await world.configure(site({ exclude: ["/never/**", "/**"] }));
    expect(await conclusionOf(other)).toMatchObject({
      willBeBought: false,
      reason: "excluded",
      detail: expect.stringMatching(
        /^will not be bought: \/\*\* in exclude of news\.example excludes it \(licet\.config\.json:\d+\)$/,
      ),
      glob: "/**",
      place: expect.stringMatching(/^licet\.config\.json:\d+$/),
    });
  });

  test("no include glob matches", async () => {
    await world.configure(site({ include: ["/never/**"] }));
    expect(await conclusionOf(other)).toMatchObject({ willBeBought: false, reason: "not_included" });
  });

  test("it is stored and unchanged, or refresh.when is never", async () => {
    expect(await conclusionOf(bought)).toMatchObject({
      reason: "unchanged",
      detail: expect.stringMatching(/^will not be bought: it is stored since \d{4}-\d\d-\d\d, and the catalog showed/),
      purchaseId: 1,
    });
    await world.configure(site({ refresh: { when: "never" } }));
    expect(await conclusionOf(bought)).toMatchObject({ detail: expect.stringContaining("refresh.when is never") });
    await world.configure(site({ refresh: { when: "always" } }));
    expect(await conclusionOf(bought)).toMatchObject({ willBeBought: true });
  });

  test.each([
    ["denied_by_rule", [{ deny: { urls: ["/**"] } }], "rule 1 of policy standard (deny urls /**) denies it", 0],
    ["no_rule_matched", [{ allow: { maxPrice: "0.001 USD" } }], "no rule of policy standard matches", null],
  ])("%s names the rule", async (reason, rules, detail, ruleIndex) => {
    await world.configure({ policies: { standard: { rules } } });
    expect(await conclusionOf(other)).toMatchObject({ reason, detail: `will not be bought: ${detail}`, ruleIndex });
  });

  test("the budget that it does not fit, with what is left", async () => {
    await world.configure({ budgets: [{ scope: "all", per: "month", limit: "0.012 USD" }] });
    expect(await conclusionOf(other)).toMatchObject({
      reason: "budget_exhausted",
      detail: "will not be bought: the budget all per month (USD) leaves 0.002 USD, and the page needs 0.01 USD",
      limit: "all per month (USD)",
      leftMicros: 2_000,
      priceMicros: PRICE_MICROS,
    });
  });

  test("the run's largest spend", async () => {
    await world.configure({ run: { maxSpend: "0.001 USD" } });
    expect(await conclusionOf(other)).toMatchObject({ reason: "max_spend", limit: "the run's maxSpend in USD" });
  });

  test("the gateway refuses its rates", async () => {
    expect(await conclusionOf("https://news.example/none")).toMatchObject({ reason: "quote_refused" });
  });

  test("its host is not a configured site: exit code 2", async () => {
    const { code, stderr } = await world.cli("explain", "https://foreign.example/a");
    expect(code).toBe(2);
    expect(stderr).toContain("https://foreign.example/a will not be bought: foreign.example is not a configured site");
  });
});

describe("with the gateway down, exit code 1:", () => {
  beforeEach(() => world.configure({ gateway: { baseUrl: "http://127.0.0.1:9", timeoutMs: 1_000 } }));

  test("what the ledger says of a page that it has", async () => {
    const { code, stdout } = await world.cli("explain", bought);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^.* will not be bought: it is stored since .*\n {2}The gateway could not be asked/);
    expect(stdout).toMatch(/Rates: rate of .* no connection[\s\S]*Stored since/);
  });

  test("that it is not known whether another page will be bought", async () => {
    expect(await conclusionOf(other, 1)).toMatchObject({
      willBeBought: null,
      reason: "rates_unknown",
      detail: expect.stringMatching(/^may be bought or not: the gateway could not be asked for its rates: .* at http:/),
    });
  });
});
