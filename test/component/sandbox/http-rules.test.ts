import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import {
  AGENT,
  askContentToken,
  call,
  contentPath,
  JSON_KEY,
  KEY,
  PAGE_URL,
  post,
  startGateway,
} from "./gateway-caller.ts";

let gateway: Sandbox;

beforeEach(async () => {
  gateway = await startGateway({ maxBodyBytes: 1_000 });
});
afterEach(() => gateway.close());

const RATE_PATH = `/dev/v2/rates/${encodeURIComponent(PAGE_URL)}`;
const GET_PATHS = [
  contentPath(PAGE_URL),
  RATE_PATH,
  "/dev/v2/content/news.example/catalog/list",
  "/dev/v1/webhook/history",
];
const POST_PATHS = [
  "/dev/v2/rates/batch",
  "/dev/v2/tokens/content",
  "/dev/v2/tokens/crawl",
  "/service/dev/v2/transactions/selfReport",
];

describe("every endpoint", () => {
  test.each([
    ...GET_PATHS.flatMap((path) => ["POST", "PUT", "DELETE"].map((method) => [method, path, "GET"])),
    ...POST_PATHS.flatMap((path) => ["GET", "PUT", "DELETE"].map((method) => [method, path, "POST"])),
  ])("refuses %s %s and says what it accepts", async (method = "", path = "", allow = "") => {
    const answer = await call(gateway, method, path, KEY);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
  });

  test.each(POST_PATHS)("%s refuses a body that is not a JSON object", async (path) => {
    const headers = { ...JSON_KEY, UserAgent: AGENT };
    for (const body of ["", "{", "[]", "null", '"text"', "7"]) {
      expect((await call(gateway, "POST", path, headers, body)).status).toBe(400);
    }
    expect((await call(gateway, "POST", path, { ...headers, "Content-Type": "text/plain" }, "{}")).status).toBe(415);
  });

  test.each(POST_PATHS)("%s accepts a body of the largest size and refuses one byte more", async (path) => {
    const headers = { ...JSON_KEY, UserAgent: AGENT };
    const body = `{${" ".repeat(998)}}`;
    expect((await call(gateway, "POST", path, headers, body)).status).toBe(400);
    expect((await call(gateway, "POST", path, headers, `${body} `)).status).toBe(413);
  });

  test("refuses a body that grows too large without a declared length", async () => {
    const headers = { ...JSON_KEY, "Transfer-Encoding": "chunked" };
    const answer = await call(gateway, "POST", "/dev/v2/rates/batch", headers, " ".repeat(5_000)).catch(
      () => undefined,
    );
    expect(answer?.status ?? 413).toBe(413);
  });

  test("has its own request id in each answer", async () => {
    const [one, two] = [await call(gateway, "GET", RATE_PATH, KEY), await call(gateway, "GET", RATE_PATH)];
    expect(one.headers["x-request-id"]).not.toBe(two.headers["x-request-id"]);
    expect(two.json.requestId).toBe(two.headers["x-request-id"]);
  });
});

test.each(["/", "/dev/v2", "/dev/v2/rate/x", "/DEV/v2/rates/batch", "/dev/v2/rates/batch/", "/selfReport"])(
  "%s does not exist",
  async (path) => {
    const status = path === "/dev/v2/rates/batch/" ? 400 : 404;
    expect((await call(gateway, "GET", path, KEY)).status).toBe(status);
  },
);

describe("names depend on the service", () => {
  test("in headers and in the path of the self-report", async () => {
    const named = await startGateway({ service: "Tollbit" });
    const key = { TollbitKey: "sandbox-key", "Content-Type": "application/json" };
    const body = JSON.stringify({
      url: PAGE_URL,
      userAgent: AGENT,
      maxPriceMicros: 2_000,
      currency: "USD",
      licenseType: "ON_DEMAND_LICENSE",
    });
    expect((await call(named, "POST", "/dev/v2/tokens/content", JSON_KEY, body)).status).toBe(401);
    const { token } = (await call(named, "POST", "/dev/v2/tokens/content", key, body)).json;
    const headers = { TollbitToken: token, "User-Agent": AGENT, "Tollbit-Accept-Content": "text/html" };
    expect((await call(named, "GET", contentPath(PAGE_URL), headers)).json.content.body).toContain("<h1>");
    const reported = JSON.stringify({
      idempotencyId: "r",
      usage: [{ url: PAGE_URL, timesUsed: 1, licenseType: "ON_DEMAND_LICENSE" }],
    });
    const path = "/tollbit/dev/v2/transactions/selfReport";
    expect((await call(named, "POST", path, { ...key, UserAgent: AGENT }, reported)).status).toBe(200);
    expect((await call(named, "POST", `/service${path.slice(8)}`, { ...key, UserAgent: AGENT }, reported)).status).toBe(
      404,
    );
    await named.close();
  });

  test("except where a variant has other names", async () => {
    const odd = await startGateway({
      profileVariants: {
        headers: { token: "Authorization: Bearer" },
        problemType: "application/json",
        paths: { contentToken: "/service/dev/v2/tokens/content" },
      },
    });
    const { token } = (
      await post(odd, "/service/dev/v2/tokens/content", {
        url: PAGE_URL,
        userAgent: AGENT,
        maxPriceMicros: 2_000,
        currency: "USD",
        licenseType: "ON_DEMAND_LICENSE",
      })
    ).json;
    const headers = { Authorization: `Bearer ${token}`, "User-Agent": AGENT };
    expect((await call(odd, "GET", contentPath(PAGE_URL), headers)).status).toBe(200);
    expect((await call(odd, "GET", contentPath(PAGE_URL), headers)).headers["content-type"]).toBe("application/json");
    await odd.close();
  });

  test("and a name that is not valid in a header is refused", async () => {
    await expect(startGateway({ service: "My Service" })).rejects.toThrow("cannot stand in a header");
  });
});

describe("the control endpoints", () => {
  test("show the audit, with the lists or without them", async () => {
    await askContentToken(gateway);
    const whole = await call(gateway, "GET", "/__sandbox/audit");
    expect(whole.json).toEqual(JSON.parse(JSON.stringify(gateway.audit())));
    const summary = await call(gateway, "GET", "/__sandbox/audit?summary=1");
    expect(summary.json).not.toHaveProperty("charges");
    expect(summary.json).toMatchObject({ tokens: { issued: 1, spent: 0 }, requests: { contentToken: { "200": 1 } } });
  });

  test("add, change and remove pages, and set rates", async () => {
    const url = "https://news.example/new";
    const added = await post(gateway, "/__sandbox/pages", { url, markdown: "# New", rates: [{ priceMicros: 3 }] });
    expect(added.json).toEqual({ notificationType: "CREATED" });
    expect((await post(gateway, "/__sandbox/pages", { url, markdown: "# Newer" })).json).toEqual({
      notificationType: "UPDATED",
    });
    expect((await post(gateway, "/__sandbox/rates", { url, rates: [{ priceMicros: 4 }] })).status).toBe(200);
    const path = `/dev/v2/rates/${encodeURIComponent(url)}`;
    expect((await call(gateway, "GET", path, KEY)).json[0].price.priceMicros).toBe(4);
    expect((await call(gateway, "DELETE", `/__sandbox/pages?url=${encodeURIComponent(url)}`)).status).toBe(200);
    expect((await call(gateway, "GET", path, KEY)).status).toBe(404);
  });

  test.each([
    ["POST", "pages", "{"],
    ["POST", "pages", "{}"],
    ["POST", "rates", '{"url":"https://news.example/none","rates":[]}'],
    ["POST", "rates", '{"url":"https://news.example/a","rates":[{"priceMicros":-1}]}'],
    ["POST", "faults", '{"no-such-fault":1}'],
    ["POST", "latency", '{"latencyMs":"soon"}'],
    ["DELETE", "pages?url=x", ""],
  ])("answer %s %s with %s as a wrong request", async (method, path, body) => {
    const answer = await call(gateway, method, `/__sandbox/${path}`, {}, body);
    expect(answer.status).toBe(400);
    expect(answer.json.detail).not.toBe("");
  });

  test("refuse a browser's page, and list the existing endpoints", async () => {
    expect((await call(gateway, "GET", "/__sandbox/audit", { Origin: "https://evil.example" })).status).toBe(403);
    const unknown = await call(gateway, "GET", "/__sandbox/none");
    expect(unknown).toMatchObject({ status: 404, json: { detail: expect.stringContaining("GET audit") } });
  });
});

test.each([
  [{ apiKeys: [] }, "apiKeys"],
  [{ agentIds: [""] }, "agentIds"],
  [{ maxPageSize: 0 }, "maxPageSize"],
  [{ latencyMs: -1 }, "latencyMs"],
  [{ faults: { nonsense: 1 } }, "nonsense"],
  [{ rates: {}, ratesFile: "x" }, "ratesFile"],
  [{ sites: [{ host: "Not A Host", kind: "demo" as const }] }, "Not A Host"],
  [
    {
      sites: [
        { host: "a.example", kind: "demo" as const },
        { host: "a.example", kind: "demo" as const },
      ],
    },
    "twice",
  ],
])("the options %j are refused by name", async (options, message) => {
  await expect(startGateway(options)).rejects.toThrow(message);
});

test("a port in use is reported", async () => {
  await expect(startGateway({ port: gateway.port })).rejects.toThrow("EADDRINUSE");
});

test("a second close does nothing", async () => {
  await Promise.all([gateway.close(), gateway.close()]);
  await gateway.close();
});
