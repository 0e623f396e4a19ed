import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";
import { type ApiClient, BEARER, createApiClient, TOKEN } from "./api-client.ts";

const API_KEY = "canary-of-the-gateway-key";
const WEBHOOK_SECRET = "canary-of-the-webhook";

let world: ServiceWorld;
let api: ApiClient;

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 1 }], apiKeys: [API_KEY] },
    config: {
      serve: { port: 0, token: TOKEN },
      gateway: { apiKey: API_KEY },
      budgets: [{ scope: "all", per: "month", limit: "1 USD" }],
      sites: [{ host: "news.example", policy: "standard" }],
      webhooks: [
        { id: "main", path: "/webhooks/main", url: "https://a.example/webhooks/main", secret: WEBHOOK_SECRET },
      ],
    },
  });
  api = createApiClient(world);
});

afterAll(() => world.close());

describe("a wrong request is refused with the reason, and begins nothing:", () => {
  it.each([
    ["GET", "/runs?limt=3", undefined, 'limt is not a known key; did you mean "limit"?'],
    ["GET", "/runs?limit=0", undefined, "limit is wrong: Too small"],
    ["GET", "/runs?limit=1001", undefined, "limit is wrong: Too big"],
    ["GET", "/runs?limit=1&limit=2", undefined, "limit is wrong"],
    ["GET", "/runs?limit=", undefined, "limit is wrong"],
    ["GET", "/runs?state=sleeping", undefined, "state is wrong"],
    ["GET", "/runs/1%3Bdrop", undefined, "id is wrong"],
    ["GET", "/runs/newest", undefined, "id is wrong"],
    ["GET", "/explain", undefined, "url is wrong"],
    ["GET", "/documents?cursor=x", undefined, "cursor is wrong"],
    ["GET", "/documents?cursor=r1", undefined, "the cursor belongs to a list with other filters"],
    ["GET", "/documents?content=yes", undefined, "content is wrong"],
    ["GET", "/documents/0", undefined, "id is wrong"],
    ["GET", "/documents/9e99", undefined, "id is wrong"],
    ["POST", "/runs", { host: ["news.example"] }, 'host is not a known key; did you mean "hosts"?'],
    ["POST", "/runs", { hosts: [] }, "hosts is wrong"],
    ["POST", "/runs", { hosts: ["news.example", 7] }, "hosts[1] is wrong"],
    ["POST", "/runs", { maxPages: 1.5 }, "maxPages is wrong"],
    ["POST", "/runs", { maxPages: "5" }, "maxPages is wrong"],
    ["POST", "/runs", { maxSpend: 5 }, "maxSpend is wrong"],
    ["POST", "/runs", { maxSpend: { micros: -1, currency: "USD" } }, "maxSpend.micros is wrong"],
    ["POST", "/runs", [], "the body is wrong"],
    ["POST", "/purchases/1/resolve", undefined, "the body is wrong"],
    ["POST", "/purchases/1/resolve", { charged: "yes" }, "charged is wrong"],
    ["POST", "/reports/1/resolve", {}, "taken is wrong"],
  ])("%s %s %j", async (method, path, body, reason) => {
    const problem = await api.refused(method, path, { body });
    expect(problem).toMatchObject({ status: 400, code: "REQUEST_INVALID", detail: expect.stringContaining(reason) });
  });

  it.each([
    ["POST", "/runs", { hosts: ["other.example"] }, 400, "USAGE_INVALID"],
    ["POST", "/runs", { maxSpend: "5" }, 400, "MONEY_INVALID"],
    ["POST", "/runs", { maxSpend: "5 EUR" }, 400, "USAGE_INVALID"],
    ["POST", "/runs/run_unknown/resume", undefined, 404, "RUN_NOT_FOUND"],
    ["POST", "/runs/run_unknown/stop", undefined, 404, "RUN_NOT_FOUND"],
    ["POST", "/runs/run_unknown/cancel", undefined, 404, "RUN_NOT_FOUND"],
    ["POST", "/open-items/1/close", undefined, 404, "OPEN_ITEM_NOT_FOUND"],
    ["POST", "/purchases/1/resolve", { charged: true }, 404, "PURCHASE_NOT_FOUND"],
    ["POST", "/reports/1/resolve", { taken: true }, 404, "REPORT_NOT_FOUND"],
    ["GET", "/documents/1", undefined, 404, "DOCUMENT_NOT_FOUND"],
    ["GET", "/documents?site=other.example", undefined, 400, "USAGE_INVALID"],
    ["GET", "/statement?site=other.example", undefined, 400, "USAGE_INVALID"],
    ["GET", "/statement?month=2026-13", undefined, 400, "REQUEST_INVALID"],
    ["GET", "/documents?since=yesterday", undefined, 400, "USAGE_INVALID"],
    ["GET", "/explain?url=nothing", undefined, 400, "PAGE_URL_INVALID"],
    ["GET", "/run", undefined, 404, "ROUTE_NOT_FOUND"],
    ["PUT", "/runs", {}, 405, "METHOD_NOT_ALLOWED"],
    ["GET", "/report", undefined, 405, "METHOD_NOT_ALLOWED"],
  ])("%s %s %j is %i %s", async (method, path, body, status, code) => {
    expect(await api.refused(method, path, { body })).toMatchObject({ status, code });
  });
});

it("asks for the token of every action, and of no reading on loopback", async () => {
  const { paths } = (await world.call("GET", "/api/v1/openapi.json")).json as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path: path.replace("{id}", "1") })),
  );
  const statuses = await Promise.all(
    operations.map(async ({ method, path }) => ({ method, status: (await world.call(method, path)).status })),
  );
  expect(statuses.filter(({ method, status }) => (status === 401) !== (method === "POST"))).toEqual([]);
  expect(await world.call("HEAD", "/api/v1/runs/run_a/events")).toMatchObject({
    status: 405,
    headers: { allow: "GET" },
  });
});

describe("a hostile request is refused:", () => {
  const json = { "content-type": "application/json" };
  it.each<[string, string | Uint8Array, Record<string, string>, number, string]>([
    ["JSON that does not end", '{"hosts": [', json, 400, "REQUEST_INVALID"],
    ["a key of the prototype", '{"__proto__": {"hosts": []}}', json, 400, "REQUEST_INVALID"],
    ["a constructor", '{"constructor": {"prototype": {}}}', json, 400, "REQUEST_INVALID"],
    ["deep nesting", `{"hosts": ${"[".repeat(50_000)}${"]".repeat(50_000)}}`, json, 400, "REQUEST_INVALID"],
    ["bytes that are not UTF-8", Buffer.from('{"h\xff": 1}', "latin1"), json, 400, "REQUEST_INVALID"],
    ["a megabyte and more", `"${"x".repeat(1_048_576)}"`, json, 413, "BODY_TOO_LARGE"],
    ["another charset", "{}", { "content-type": "application/json; charset=utf-16" }, 415, "MEDIA_TYPE_UNSUPPORTED"],
    ["a form", "fresh=true", { "content-type": "application/x-www-form-urlencoded" }, 415, "MEDIA_TYPE_UNSUPPORTED"],
    ["a text", "{}", { "content-type": "text/plain" }, 415, "MEDIA_TYPE_UNSUPPORTED"],
    [
      "a page's form with files",
      "--x--",
      { "content-type": "multipart/form-data; boundary=x" },
      415,
      "MEDIA_TYPE_UNSUPPORTED",
    ],
    [
      "thousands of unknown keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}`, i]))),
      json,
      400,
      "REQUEST_INVALID",
    ],
  ])("%s", async (_what, body, headers, status, code) => {
    const problem = await api.refused("POST", "/runs", { body, headers });
    expect(problem).toMatchObject({ status, code });
    expect(problem.detail.length).toBeLessThan(4_000);
  });

  it("a second request that is smuggled behind the first, by two lengths", async () => {
    const { port } = new URL(world.service.url);
    const socket = connect(Number(port), "127.0.0.1");
    const smuggled = `POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${BEARER.authorization}\r\n\r\n`;
    socket.end(
      `POST /api/v1/report HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${smuggled.length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    );
    const answer = (await socket.setEncoding("utf8").toArray()).join("");
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("headers beyond all measure", async () => {
    const headers = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`x-${index}`, "x".repeat(1_000)]));
    expect(await world.call("GET", "/api/v1/runs", { headers })).toMatchObject({
      status: 400,
      json: { code: "REQUEST_INVALID" },
    });
  });
});

it("no answer and no line of the log has a secret, and nothing was begun", async () => {
  const answers = [
    await world.call("GET", "/api/v1/status", { headers: BEARER }),
    await world.call("GET", "/api/v1/explain?url=https%3A%2F%2Fnews.example%2F", { headers: BEARER }),
    await world.call("GET", "/api/v1/openapi.json", { headers: BEARER }),
    await world.call("GET", `/api/v1/runs/${TOKEN}?secret=${TOKEN}`, { headers: BEARER }),
    await world.call("POST", "/api/v1/report", { headers: BEARER }),
  ];
  const shown = JSON.stringify([answers, world.logged]);
  for (const secret of [API_KEY, WEBHOOK_SECRET, BEARER.authorization, `secret=${TOKEN}`]) {
    expect(shown).not.toContain(secret);
  }
  expect(answers[0]?.json.totals.runs).toBe(0);
});
