import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { compareAccounts, compareReports } from "../../../doubles/compare-accounts.ts";
import {
  BUDGETS,
  chargesOf,
  createFetchWorld,
  FIRST,
  HOST,
  outcomesOf,
  PRICE_MICROS,
  SITES,
  urlOf,
} from "./fetch-world.ts";

const SPENT_ONCE = {
  USD: { settledMicros: PRICE_MICROS, feeMicros: 0, inDoubtMicros: 0, useReserveMicros: 0 },
};

describe("agent.fetch", () => {
  it("buys a page with its evidence, and its use is reported like any other", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    const report = await agent.fetch([FIRST]);
    expect(report).toMatchObject({
      results: [
        {
          url: FIRST,
          outcome: "bought",
          document: { url: FIRST, license: { licenseType: "ON_DEMAND_LICENSE" }, priceMicros: PRICE_MICROS },
          priceMicros: PRICE_MICROS,
          currency: "USD",
          rule: "allow everything",
          reason: null,
        },
      ],
      spend: SPENT_ONCE,
      budgetExhausted: false,
    });
    expect(report.results[0]?.document?.markdown).toMatch(/\S/);
    const { runs } = await agent.runs();
    expect(runs).toMatchObject([{ runId: report.runIds[0], state: "completed", trigger: "list" }]);
    await agent.report();
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
    expect(compareReports(world.sandbox, world.ledgerFile)).toEqual([]);
    expect((await agent.audit()).violations).toEqual([]);
  });

  it("answers a page that is held from the ledger: no request, no run, no write", async () => {
    const world = await createFetchWorld();
    const [{ results: bought }] = [await (await world.openAgent()).fetch([FIRST])];
    const agent = await world.openAgent();
    const files = () => Promise.all([readFile(world.ledgerFile), readFile(`${world.ledgerFile}-wal`)]);
    const before = await files();
    world.requests.length = 0;
    const report = await agent.fetch([FIRST]);
    expect(report).toMatchObject({ results: [{ outcome: "stored" }], spend: {}, runIds: [] });
    expect(report.results[0]?.document).toEqual(bought[0]?.document);
    expect(world.requests).toEqual([]);
    expect(await files()).toEqual(before);
  });

  it("gives one result for each URL, in their order, and buys a page once however it is spelt", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    const spellings = [FIRST, `${FIRST}#part`, FIRST.replace("https", "HTTPS"), `https://${HOST}:443/articles/0000000`];
    const { results, spend } = await agent.fetch([urlOf(1), ...spellings]);
    expect(results.map(({ url, document }) => [url, document?.url])).toEqual([
      [urlOf(1), urlOf(1)],
      ...spellings.map((url) => [url, FIRST]),
    ]);
    expect(spend.USD?.settledMicros).toBe(2 * PRICE_MICROS);
    expect(chargesOf(world)).toHaveLength(2);
  });

  it("says of each URL why there is no document", async () => {
    const world = await createFetchWorld({
      sites: [{ host: HOST, policy: "standard", exclude: ["/articles/0000003"] }],
    });
    const agent = await world.openAgent();
    world.sandbox.setRates(urlOf(4), [{ licenseType: "ON_DEMAND_LICENSE", priceMicros: 1, currency: "EUR" }]);
    const report = await agent.fetch([
      "no url",
      "",
      "ftp://news.example/a",
      "https://other.example/a",
      urlOf(3),
      urlOf(4),
      `https://${HOST}/missing`,
      FIRST,
    ]);
    expect(outcomesOf(report)).toEqual([
      "invalid not_a_url",
      "invalid not_a_url",
      "invalid scheme",
      "not_configured not_configured",
      "excluded excluded",
      "denied no_budget_in_currency",
      "denied not_licensable",
      "bought",
    ]);
    expect(
      report.results.filter(({ document, detail, hint }) => document === null && detail === null && hint === null),
    ).toEqual([]);
  });

  it("reads only what is held with storedOnly, also without a ledger", async () => {
    const world = await createFetchWorld();
    const reader = await world.openAgent();
    expect(outcomesOf(await reader.fetch([FIRST], { storedOnly: true }))).toEqual(["not_stored not_stored"]);
    await (await world.openAgent()).fetch([FIRST]);
    world.requests.length = 0;
    expect(outcomesOf(await reader.fetch([FIRST, urlOf(1)], { storedOnly: true }))).toEqual([
      "stored",
      "not_stored not_stored",
    ]);
    expect(world.requests).toEqual([]);
  });

  it("holds a page to maxPrice, a call to maxSpend, and both to the budgets", async () => {
    const world = await createFetchWorld({ budgets: [{ scope: "all", per: "month", limit: "0.05 USD" }] });
    const agent = await world.openAgent();
    expect(outcomesOf(await agent.fetch([FIRST], { maxPrice: "0.009999 USD" }))).toEqual(["denied max_price"]);
    const capped = await agent.fetch([urlOf(1), urlOf(2), urlOf(3)], { maxPrice: "0.01 USD", maxSpend: "0.02 USD" });
    expect(outcomesOf(capped)).toEqual(["bought", "bought", "denied max_spend"]);
    expect(capped.budgetExhausted).toBe(true);
    const rest = await agent.fetch([urlOf(4), urlOf(5), urlOf(6), urlOf(7)]);
    expect(outcomesOf(rest)).toEqual(["bought", "bought", "bought", "denied budget_exhausted"]);
    expect(chargesOf(world)).toHaveLength(5);
    await expect(agent.fetch([FIRST], { maxSpend: "1 EUR" })).rejects.toMatchObject({ code: "USAGE_INVALID" });
  });

  it("returns what was indexed under a policy that only indexes, and buys it under one that buys", async () => {
    const indexing = { standard: { intent: "indexing", rules: [{ allow: {} }] } };
    const world = await createFetchWorld({ policies: indexing });
    const agent = await world.openAgent();
    const [first] = (await agent.fetch([FIRST])).results;
    expect(first).toMatchObject({
      outcome: "bought",
      priceMicros: null,
      currency: null,
      document: { intent: "indexing", license: null },
    });
    expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["stored"]);
    expect(chargesOf(world)).toEqual([]);
    await world.configure({ budgets: BUDGETS, sites: SITES });
    expect(outcomesOf(await (await world.openAgent()).fetch([FIRST]))).toEqual(["bought"]);
    expect(chargesOf(world)).toEqual([FIRST]);
  });

  it("derives missing Markdown when it is asked to", async () => {
    const world = await createFetchWorld({ policies: { standard: { format: "html", rules: [{ allow: {} }] } } });
    const agent = await world.openAgent();
    expect((await agent.fetch([FIRST])).results[0]?.document?.markdown).toBeNull();
    expect((await agent.fetch([FIRST], { deriveMarkdown: true })).results[0]?.document?.markdown).toMatch(/\S/);
  });

  it("gives what is held under http or https for the other, and buys a page under one of them", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    const plain = (url: string) => url.replace("https:", "http:");
    await agent.fetch([FIRST]);
    const again = await agent.fetch([plain(FIRST)]);
    expect(again.results).toMatchObject([
      { url: plain(FIRST), outcome: "stored", document: { url: FIRST }, detail: expect.stringContaining(FIRST) },
    ]);
    expect(outcomesOf(await agent.fetch([plain(FIRST)], { storedOnly: true }))).toEqual(["stored"]);
    expect(outcomesOf(await agent.fetch([urlOf(1), plain(urlOf(1))]))).toEqual(["bought", "bought"]);
    const together = await Promise.all([agent.fetch([urlOf(2)]), agent.fetch([plain(urlOf(2))])]);
    expect(together.flatMap(outcomesOf).sort()).toEqual(["bought", "stored"]);
    expect(chargesOf(world)).toEqual([FIRST, urlOf(1), urlOf(2)]);
  });
});
