import { expect, test } from "vitest";
import { isLicetError } from "../../../src/errors.ts";
import { GatewayClient } from "../../../src/gateway/gateway-client.ts";
import { sendJson } from "../../doubles/loopback-server.ts";
import { API_KEY, createLeapingClock, openClient, PAGE, TOKEN, TOKEN_REQUEST } from "./client-on-loopback.ts";

const PATH_OF_PAGE = "https%3A%2F%2Fnews.example%2Fa%2Fpage";

test("lists a catalog page with key, page size and page token", async () => {
  const { client, server } = await openClient((_request, response) =>
    sendJson(response, {
      pageToken: "next",
      pages: [{ pageUrl: PAGE, lastMod: "2026-01-01T00:00:00.123456789Z", propertyId: "p1" }, { lastMod: "x" }, 7],
    }),
  );
  expect(await client.listCatalog({ host: "news.example:8080", pageToken: "a b&c", pageSize: 50 })).toEqual({
    entries: [{ pageUrl: PAGE, lastMod: "2026-01-01T00:00:00.123456789Z", propertyId: "p1" }],
    unreadable: 2,
    nextPageToken: "next",
  });
  const [request] = server.received;
  expect(request?.target).toBe("/dev/v2/content/news.example%3A8080/catalog/list?pageSize=50&pageToken=a%20b%26c");
  expect(request?.headers).toMatchObject({ servicekey: API_KEY, "user-agent": "test-agent/1.0" });
});

test.each([
  ["an omitted page token", { pages: [] }],
  ["an empty page token", { pages: [], pageToken: "" }],
  ["no pages at all", { pages: null, pageToken: null }],
])("treats %s as the last page", async (_name, answer) => {
  const { client } = await openClient((_request, response) => sendJson(response, answer));
  expect(await client.listCatalog({ host: "news.example", pageToken: null, pageSize: 1 })).toEqual({
    entries: [],
    unreadable: 0,
    nextPageToken: null,
  });
});

test.each([
  ["a page token that is not a text", { pages: [], pageToken: 12 }],
  ["an error that is sent as a success", { title: "Not now", status: 503 }],
])("refuses %s, so that the walk does not end early", async (_name, answer) => {
  const { client } = await openClient((_request, response) => sendJson(response, answer));
  await expect(client.listCatalog({ host: "news.example", pageToken: null, pageSize: 1 })).rejects.toMatchObject({
    code: "GATEWAY_ANSWER_INVALID",
  });
});

test("sends nothing when it is asked for no rates", async () => {
  const { client, server } = await openClient((_request, response) => sendJson(response, []));
  expect(await client.quoteBatch([])).toEqual(new Map());
  expect(server.received).toEqual([]);
});

test("asks for the rates of a page by its encoded URL", async () => {
  const { client, server } = await openClient((_request, response) =>
    sendJson(response, [
      { license: { id: "l1", licenseType: "CUSTOM_LICENSE" }, price: { priceMicros: 0, currency: "usd" } },
    ]),
  );
  const listing = await client.quotePage(`${PAGE}?q=1`);
  expect(server.received[0]?.target).toBe(`/dev/v2/rates/${PATH_OF_PAGE}%3Fq%3D1`);
  expect(listing.rates[0]).toMatchObject({ price: { micros: 0, currency: "USD" }, license: { cuid: "l1" } });
});

test("asks for a content token with the quote as its cap", async () => {
  const { client, server } = await openClient((_request, response) => sendJson(response, { token: TOKEN }));
  const clock = createLeapingClock();
  expect(await client.issueContentToken({ ...TOKEN_REQUEST, licenseCuid: "l1" })).toEqual({
    token: TOKEN,
    expiresAt: clock.now() + 300_000,
  });
  const [request] = server.received;
  expect([request?.method, request?.target]).toEqual(["POST", "/dev/v2/tokens/content"]);
  expect(request?.headers).toMatchObject({ servicekey: API_KEY, "content-type": "application/json" });
  expect(JSON.parse(request?.body ?? "")).toEqual({
    url: PAGE,
    userAgent: "test-agent/1.0",
    maxPriceMicros: 1500,
    currency: "USD",
    licenseType: "ON_DEMAND_LICENSE",
    licenseCuid: "l1",
    format: "markdown",
  });
});

test("asks for an indexing token with URL and agent alone", async () => {
  const { client, server } = await openClient((_request, response) => sendJson(response, { token: TOKEN }));
  await client.issueIndexingToken(PAGE);
  expect(server.received[0]?.target).toBe("/dev/v2/tokens/crawl");
  expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({ url: PAGE, userAgent: "test-agent/1.0" });
});

test("fetches content with token and format, and never with the key", async () => {
  const { client, server } = await openClient((_request, response) =>
    sendJson(response, { content: { body: "# Hi" } }, 200, { "x-request-id": "r-1" }),
  );
  const answer = await client.fetchContent({ url: PAGE, token: TOKEN, format: "html" });
  expect(answer).toMatchObject({ kind: "content", requestId: "r-1", content: { body: "# Hi", rate: null } });
  const [request] = server.received;
  expect([request?.method, request?.target]).toEqual(["GET", `/dev/v2/content/${PATH_OF_PAGE}`]);
  expect(request?.headers).toMatchObject({ servicetoken: TOKEN, "service-accept-content": "text/html" });
  expect(JSON.stringify(request?.headers)).not.toContain(API_KEY);
  expect(request?.headers["accept-encoding"]).toBeUndefined();
});

test("reports usage byte for byte, with the agent under both header names", async () => {
  const { client, server } = await openClient((_request, response) => sendJson(response, { receipts: [] }));
  const body = '{"idempotencyId":"ü-1",  "usage":[]}';
  expect(await client.reportUsage(Buffer.from(body))).toEqual({ kind: "accepted", receipts: [], unreadable: 0 });
  const [request] = server.received;
  expect([request?.method, request?.target]).toEqual(["POST", "/service/dev/v2/transactions/selfReport"]);
  expect(request?.body).toBe(body);
  expect(request?.headers).toMatchObject({ useragent: "test-agent/1.0", "user-agent": "test-agent/1.0" });
});

test("reads the delivery history", async () => {
  const { client, server } = await openClient((_request, response) =>
    sendJson(response, { Items: [{ eventType: "CREATE", lastStatus: 200, numAttempts: "2" }, null], nextToken: "n" }),
  );
  const page = await client.listHistory({ nextToken: "a/b", size: 1000, daysAgo: 3 });
  expect(server.received[0]?.target).toBe("/dev/v1/webhook/history?size=1000&days-ago=3&next-token=a%2Fb");
  expect(page.nextToken).toBe("n");
  expect(page.items).toHaveLength(1);
  expect(page.items[0]).toMatchObject({ eventType: "CREATE", lastStatus: 200, numAttempts: null, contentUrl: null });
});

test.each([0, 1001, 1.5])("refuses a history size of %s", async (size) => {
  const { client } = await openClient((_request, response) => sendJson(response, {}));
  await expect(client.listHistory({ nextToken: null, size, daysAgo: null })).rejects.toMatchObject({
    code: "INPUT_INVALID",
  });
});

test("needs no code for another service: names, path segment and base path follow the options", async () => {
  const { client, server } = await openClient((_request, response) => sendJson(response, []));
  const named = new GatewayClient({
    baseUrl: `${server.baseUrl}/base/`,
    service: "Tollbit",
    apiKey: API_KEY,
    agentId: "test-agent",
    userAgent: "test-agent/1.0",
    headers: { token: "Authorization: Bearer" },
  });
  await named.fetchContent({ url: PAGE, token: TOKEN, format: "markdown" });
  await named.reportUsage(Buffer.from("{}"));
  await named.close();
  expect(client.profile.licenseIdField).toBe("licenseCuid");
  expect(server.received[0]?.headers).toMatchObject({
    authorization: `Bearer ${TOKEN}`,
    "tollbit-accept-content": "text/markdown",
  });
  expect(server.received[1]?.target).toBe("/base/tollbit/dev/v2/transactions/selfReport");
  expect(server.received[1]?.headerNames).toContain("TollbitKey");
});

test.each([
  ["a base URL that is none", { baseUrl: "nowhere" }],
  ["another scheme", { baseUrl: "ftp://gateway.example" }],
  ["credentials in the base URL", { baseUrl: "https://user:pw@gateway.example" }],
  ["a query in the base URL", { baseUrl: "https://gateway.example/?a=1" }],
  ["a user agent without the AgentID", { userAgent: "other/1.0" }],
  ["an empty AgentID", { agentId: "" }],
  ["a user agent with a line break", { userAgent: "test-agent\r\nx: y" }],
  ["an empty key", { apiKey: "" }],
  ["a key with a line break", { apiKey: "secret\nkey" }],
  ["no concurrency", { concurrency: 0 }],
  ["a rate of zero", { requestsPerSecond: 0 }],
  ["a fractional timeout", { timeoutMs: 0.5 }],
])("is not created with %s, and does not print the key", (_name, options) => {
  const create = () =>
    new GatewayClient({
      baseUrl: "http://127.0.0.1:1",
      apiKey: API_KEY,
      agentId: "test-agent",
      userAgent: "test-agent/1.0",
      ...options,
    });
  expect(create).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  try {
    create();
  } catch (error) {
    expect(isLicetError(error) && JSON.stringify(error)).not.toContain("secret");
  }
});
