/** Pages now, over HTTP: what is held, what is bought, and what is refused before anything is bought. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAgent } from "../../../../src/agent/create-agent.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { ONE_PRICE, PRICE_MICROS } from "../../../doubles/cli-world.ts";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { type ApiClient, BEARER, createApiClient, TOKEN } from "./api-client.ts";

const urlOf = (number: number) => `https://news.example/articles/${String(number).padStart(7, "0")}`;

let world: ServiceWorld;
let api: ApiClient;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 5, bodyBytes: 300 }], rates: ONE_PRICE },
    config: {
      serve: { port: 0, token: TOKEN },
      budgets: [{ scope: "all", per: "month", limit: "0.04 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
    },
  });
  api = createApiClient(world);
});

afterAll(() => world.close());

const fetchPages = (body: unknown) => api.post("/fetch", "FetchReport", body);
const charges = () => world.sandbox.audit().charges.map(({ url }) => url);

describe("POST /api/v1/fetch is refused, and buys nothing,", () => {
  it("without the token", async () => {
    const body = { urls: [urlOf(0)] };
    expect(await world.call("POST", "/api/v1/fetch", { body })).toMatchObject({ status: 401 });
    const headers = { authorization: "Bearer of-somebody-else" };
    expect(await world.call("POST", "/api/v1/fetch", { body, headers })).toMatchObject({ status: 401 });
  });

  it.each([
    ["no body", undefined, "the body is wrong"],
    ["no URL", { urls: [] }, "urls is wrong"],
    ["a text instead of a list", { urls: urlOf(0) }, "urls is wrong"],
    ["a number among the URLs", { urls: [urlOf(0), 7] }, "urls[1] is wrong"],
    ["more URLs than a call takes", { urls: Array.from({ length: 101 }, (_, page) => urlOf(page)) }, "urls is wrong"],
    ["a URL without an end", { urls: [`https://news.example/${"x".repeat(5_000)}`] }, "urls[0] is wrong"],
    ["a misspelt limit", { urls: [urlOf(0)], maxSpent: "1 USD" }, 'did you mean "maxSpend"?'],
    ["a number as a price", { urls: [urlOf(0)], maxPrice: 1 }, "maxPrice is wrong"],
    ["a negative price", { urls: [urlOf(0)], maxPrice: { micros: -1, currency: "USD" } }, "maxPrice.micros is wrong"],
    ["the flag of another interface", { urls: [urlOf(0)], trustClock: true }, "trustClock is not a known key"],
  ])("for %s", async (_what, body, reason) => {
    expect(await api.refused("POST", "/fetch", { body })).toMatchObject({
      status: 400,
      code: "REQUEST_INVALID",
      detail: expect.stringContaining(reason),
    });
  });

  it.each([
    [{ maxPrice: "cheap" }, "MONEY_INVALID"],
    [{ maxSpend: "1 EUR" }, "USAGE_INVALID"],
  ])("for %j with the code of its error", async (limits, code) => {
    const body = { urls: [urlOf(0)], ...limits };
    expect(await api.refused("POST", "/fetch", { body })).toMatchObject({ status: 400, code });
  });

  it("by another method", async () => {
    expect(await api.refused("GET", "/fetch")).toMatchObject({ status: 405 });
    const { runs } = (await world.call("GET", "/api/v1/runs", { headers: BEARER })).json;
    expect([charges(), runs]).toEqual([[], []]);
  });
});

it("says of each URL what came of it, buys each page once, and answers it from the ledger afterwards", async () => {
  const none = await fetchPages({ urls: [urlOf(0)], storedOnly: true });
  expect(none).toMatchObject({ results: [{ outcome: "not_stored", document: null }], spend: {}, runIds: [] });

  const capped = await fetchPages({ urls: [urlOf(0)], maxPrice: { micros: PRICE_MICROS - 1, currency: "USD" } });
  expect(capped.results).toMatchObject([{ outcome: "denied", reason: "max_price", hint: expect.any(String) }]);
  const foreign = await fetchPages({ urls: [urlOf(0)], maxPrice: "1 EUR" });
  expect(foreign.results).toMatchObject([{ outcome: "denied", reason: "max_price" }]);

  const urls = [urlOf(0), "no url", "https://other.example/a", urlOf(1)];
  const [first, second] = await Promise.all([fetchPages({ urls }), fetchPages({ urls: [urlOf(1)] })]);
  expect(first.results.map(({ url }) => url)).toEqual(urls);
  expect(first.results.map(({ reason }) => reason)).toEqual([null, "not_a_url", "not_configured", null]);
  expect(first.results[0]).toMatchObject({
    outcome: "bought",
    document: { url: urlOf(0), markdown: expect.stringMatching(/\S/), license: { licenseType: "ON_DEMAND_LICENSE" } },
    priceMicros: PRICE_MICROS,
    currency: "USD",
  });
  expect([first.results[3]?.outcome, second.results[0]?.outcome].sort()).toEqual(["bought", "stored"]);
  expect(charges().sort()).toEqual([urlOf(0), urlOf(1)]);

  const held = await fetchPages({ urls: [urlOf(0)] });
  expect(held).toMatchObject({ results: [{ outcome: "stored" }], spend: {}, runIds: [] });
  expect(held.results[0]?.document).toEqual(first.results[0]?.document);
});

it("never passes a budget, and says which limit was reached", async () => {
  const report = await fetchPages({ urls: [2, 3, 4].map(urlOf) });
  expect(report.results.map(({ reason }) => reason)).toEqual([null, null, "budget_exhausted"]);
  expect(report).toMatchObject({ budgetExhausted: true, spend: { USD: { settledMicros: 2 * PRICE_MICROS } } });
  expect(charges()).toHaveLength(4);
});

it("begins one run at most for a page whose text a person took out, and says that the rights ended", async () => {
  const agent = createAgent(await loadConfig({ path: world.configFile, cwd: world.directory, env: {} }));
  await agent.purge({ urls: [urlOf(0)], reason: "asked by the publisher" });
  await agent.close();
  const before = charges().length;
  const { runs: earlier } = (await world.call("GET", "/api/v1/runs", { headers: BEARER })).json;
  const report = await fetchPages({ urls: [urlOf(0)] });
  expect(report.results).toMatchObject([{ outcome: "denied", reason: "rights_ended" }]);
  const { runs } = (await world.call("GET", "/api/v1/runs", { headers: BEARER })).json;
  expect(runs.length - earlier.length).toBe(report.runIds.length);
  expect(report.runIds).toHaveLength(1);
  expect(charges()).toHaveLength(before);
});
