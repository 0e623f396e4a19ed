/** Wrong arguments of a client's methods: each is a LicetError with a hint, before anything is sent. */
import { afterAll, describe, expect, it } from "vitest";
import {
  toCatalogRequest,
  toContentRequest,
  toContentTokenRequest,
  toHistoryRequest,
  toReportBody,
} from "../../../src/gateway/client-calls.ts";
import { GatewayClient } from "../../../src/gateway/gateway-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: what JavaScript lets a program write
type Loose = Record<string, (...args: any[]) => any>;

const URL_OF_PAGE = "https://news.example/a";
const TOKEN_QUERY = { url: URL_OF_PAGE, maxPrice: "0.02 USD", licenseType: "ON_DEMAND_LICENSE" };
const client = new GatewayClient({ baseUrl: "http://127.0.0.1:9", apiKey: "key-1234", agentId: "acme" });
afterAll(() => client.close());

it.each<[method: string, args: readonly unknown[], code: string, message: RegExp]>([
  ["listCatalog", [], "USAGE_INVALID", /must be an object, not undefined/],
  ["listCatalog", [{}], "USAGE_INVALID", /host must be given/],
  ["listCatalog", [{ host: "news.example", page: 2 }], "USAGE_INVALID", /there is no option "page"/],
  ["listCatalog", [{ host: "news.example", pageSize: "5" }], "USAGE_INVALID", /pageSize must be a number/],
  ["listCatalog", [{ host: "news.example", pageSize: 0 }], "INPUT_INVALID", /pageSize must be a whole number from 1/],
  ["listCatalog", [{ host: "news.example" }, "now"], "USAGE_INVALID", /signal must be an AbortSignal/],
  ["quoteBatch", [URL_OF_PAGE], "USAGE_INVALID", /urls must be a list of texts/],
  ["quotePage", [], "USAGE_INVALID", /url must be a text/],
  ["issueContentToken", [{ url: URL_OF_PAGE }], "USAGE_INVALID", /maxPrice, licenseType must be given/],
  ["issueContentToken", [{ ...TOKEN_QUERY, maxPrice: 2 }], "USAGE_INVALID", /maxPrice must be an amount of money/],
  ["issueContentToken", [{ ...TOKEN_QUERY, maxPrice: "2" }], "MONEY_INVALID", /the currency is missing/],
  ["issueContentToken", [{ ...TOKEN_QUERY, format: "both" }], "USAGE_INVALID", /format must be one of markdown, html/],
  ["issueContentToken", [{ ...TOKEN_QUERY, licenseType: "GIFT" }], "INPUT_INVALID", /"GIFT" is not a licence/],
  ["issueContentToken", [{ ...TOKEN_QUERY, license: "GIFT" }], "USAGE_INVALID", /there is no option "license"/],
  ["issueIndexingToken", [{ url: URL_OF_PAGE }], "USAGE_INVALID", /url must be a text, not an object/],
  [
    "fetchContent",
    [{ url: URL_OF_PAGE, token: { token: "t" } }],
    "USAGE_INVALID",
    /token must be a text, not an object/,
  ],
  ["fetchContent", [{ url: URL_OF_PAGE }], "USAGE_INVALID", /token must be given/],
  ["reportUsage", [{ idempotencyId: "1", usage: [] }], "USAGE_INVALID", /usage must be a list of entries/],
  [
    "reportUsage",
    [{ idempotencyId: "1", usage: [{ url: URL_OF_PAGE }] }],
    "USAGE_INVALID",
    /licenseType must be given/,
  ],
  [
    "reportUsage",
    [{ idempotencyId: "1", usage: [{ url: URL_OF_PAGE, licenseType: "CUSTOM_LICENSE" }] }],
    "USAGE_INVALID",
    /a custom license is reported with its id/,
  ],
  ["listHistory", [{ size: 1001 }], "INPUT_INVALID", /size must be a whole number from 1 to 1000/],
  ["listHistory", [{ days: 3 }], "USAGE_INVALID", /there is no option "days"/],
])("%s(%j) is %s", async (method, args, code, message) => {
  await expect((client as unknown as Loose)[method]?.(...args)).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(/\S/),
  });
});

describe("what is left out has its default", () => {
  it("in each method", () => {
    expect(toCatalogRequest({ host: "news.example" })).toEqual({
      host: "news.example",
      pageToken: null,
      pageSize: 500,
    });
    expect(toHistoryRequest({})).toEqual({ nextToken: null, size: 1000, daysAgo: null });
    expect(toContentRequest({ url: URL_OF_PAGE, token: "t" })).toMatchObject({ format: "markdown" });
    expect(toContentTokenRequest(TOKEN_QUERY)).toEqual({
      ...TOKEN_QUERY,
      maxPrice: { micros: 20_000, currency: "USD" },
      licenseCuid: null,
      format: "markdown",
    });
  });

  it("in the entries of a report, whose bytes are the same each time", () => {
    const usage = [{ url: URL_OF_PAGE, licenseType: "CUSTOM_LICENSE", licenseCuid: "c9" }];
    const write = () => new TextDecoder().decode(toReportBody({ idempotencyId: "id-1", usage }, "licenseId"));
    expect(write()).toBe(
      `{"idempotencyId":"id-1","usage":[{"url":"${URL_OF_PAGE}","timesUsed":1,"licenseType":"CUSTOM_LICENSE","licenseId":"c9"}]}`,
    );
    expect(write()).toBe(write());
  });
});
