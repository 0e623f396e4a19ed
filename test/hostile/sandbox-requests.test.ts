/** The sandbox's own door: raw bytes on its socket. After each, it must still serve the next one, with its books unchanged. */
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { PATIENCE } from "../doubles/patience.ts";
import { anyJson, nastyText, SEED } from "./hostile-values.ts";

const KEY = "sandbox-key";
const PAGE = "https://news.example/a";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({
    sites: [
      { kind: "pages", host: "news.example", pages: [{ url: "/a", markdown: "# A", rates: [{ priceMicros: 1_000 }] }] },
    ],
    maxBodyBytes: 100_000,
  });
});
afterAll(() => sandbox.close());

/** Sends the bytes and gives back what comes until the other side closes, or says nothing more for a moment. */
function send(bytes: string | Buffer, { half = false } = {}): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(sandbox.port, "127.0.0.1");
    let heard = "";
    const end = () => {
      socket.destroy();
      resolve(heard);
    };
    socket.setTimeout(PATIENCE.timeout, () => {
      heard += "(silence)";
      end();
    });
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
      if (/\r\n\r\n/.test(heard) && isWhole(heard)) {
        end();
      }
    });
    socket.on("error", end);
    socket.on("close", end);
    socket.write(bytes, () => {
      if (half) {
        socket.end();
      }
    });
  });
}

/** The first answer, as long as it says it is. */
function isWhole(heard: string): boolean {
  if (heard.startsWith("HTTP/1.1 100")) {
    return true;
  }
  const [head = "", ...rest] = heard.split("\r\n\r\n");
  if (/^transfer-encoding: chunked$/im.test(head)) {
    return heard.endsWith("\r\n0\r\n\r\n");
  }
  const length = /^content-length: (\d+)$/im.exec(head)?.[1];
  return length !== undefined && rest.join("\r\n\r\n").length >= Number(length);
}

const statusOf = (heard: string) => Number(/^HTTP\/1\.1 (\d{3}) /.exec(heard)?.[1] ?? 0);
const request = (line: string, headers: readonly string[] = [], body = "") =>
  `${line} HTTP/1.1\r\nHost: x\r\n${headers.map((header) => `${header}\r\n`).join("")}\r\n${body}`;
const post = (path: string, body: string, headers: readonly string[] = []) =>
  request(
    `POST ${path}`,
    [
      `ServiceKey: ${KEY}`,
      "UserAgent: licet-demo/1.0",
      "Content-Type: application/json",
      `Content-Length: ${Buffer.byteLength(body)}`,
      ...headers,
    ],
    body,
  );
const get = (path: string, headers: readonly string[] = [`ServiceKey: ${KEY}`]) => request(`GET ${path}`, headers);

async function expectInOrder(): Promise<void> {
  const rates = await send(get(`/dev/v2/rates/${encodeURIComponent(PAGE)}`));
  expect(statusOf(rates)).toBe(200);
  expect(sandbox.audit()).toMatchObject({ charges: [], uses: [] });
}

const POSTS = [
  "/dev/v2/rates/batch",
  "/dev/v2/tokens/content",
  "/dev/v2/tokens/crawl",
  "/service/dev/v2/transactions/selfReport",
];
const deep = "[".repeat(40_000) + "]".repeat(40_000);

/** What is sent, and the statuses that are an answer to it; 0 is a connection that was closed. */
const BYTES: readonly (readonly [name: string, bytes: string | Buffer, statuses: readonly number[]])[] = [
  ["noise", Buffer.from([0, 255, 1, 254, 13, 10, 13, 10]), [400]],
  ["another protocol", "\u0016\u0003\u0001\u0002\u0000\u0001", [400]],
  ["HTTP/2 at once", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", [400, 505]],
  ["an unknown version", "GET / HTTP/9.9\r\n\r\n", [400, 505]],
  ["an unknown method", request("FLY /"), [400, 404, 405]],
  ["CONNECT", request("CONNECT evil.example:443"), [0, 400, 404, 405]],
  [
    "an upgrade",
    request("GET /dev/v1/webhook/history", ["Connection: Upgrade", "Upgrade: websocket"]),
    [0, 400, 401, 426],
  ],
  ["no host", "GET / HTTP/1.1\r\n\r\n", [400, 404]],
  ["a header without end", request("GET /", [`X: ${"x".repeat(100_000)}`]), [431]],
  [
    "headers without end",
    request(
      "GET /",
      Array.from({ length: 20_000 }, (_, index) => `X${index}: y`),
    ),
    [0, 404, 431],
  ],
  ["a header with a line break", "GET / HTTP/1.1\r\nHost: x\r\nX: a\nY: b\r\n\r\n", [400, 404]],
  ["a header with NUL", "GET / HTTP/1.1\r\nHost: x\r\nX: a\u0000b\r\n\r\n", [400]],
  ["two lengths", request("POST /dev/v2/rates/batch", ["Content-Length: 2", "Content-Length: 3"], "{}"), [400]],
  [
    "a length and chunks",
    request("POST /dev/v2/rates/batch", ["Content-Length: 2", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
    [400],
  ],
  ["a length of -1", request("POST /dev/v2/rates/batch", ["Content-Length: -1"]), [400]],
  ["a length of 1e9", request("POST /dev/v2/rates/batch", [`ServiceKey: ${KEY}`, "Content-Length: 1e9"]), [400]],
  [
    "a length beyond the limit",
    request("POST /dev/v2/rates/batch", [`ServiceKey: ${KEY}`, "Content-Length: 9007199254740993"]),
    [400, 413],
  ],
  ["chunks that are none", request("POST /dev/v2/rates/batch", ["Transfer-Encoding: chunked"], "zz\r\n"), [400]],
  [
    "a chunk without end",
    request(
      "POST /dev/v2/rates/batch",
      ["Transfer-Encoding: chunked"],
      `${(200_000).toString(16)}\r\n${"x".repeat(200_000)}\r\n`,
    ),
    [413],
  ],
  ["100-continue", post("/dev/v2/rates/batch", "{}", ["Expect: 100-continue"]), [100, 400]],
  ["something else to expect", post("/dev/v2/rates/batch", "{}", ["Expect: miracles"]), [417]],
  ["an address as a target", get(`http://evil.example/dev/v2/rates/${encodeURIComponent(PAGE)}`), [404]],
  ["a star as a target", request("OPTIONS *"), [404, 405]],
  ["no target", "GET  HTTP/1.1\r\nHost: x\r\n\r\n", [400]],
  ["a path without end", get(`/dev/v2/rates/${"x".repeat(60_000)}`), [400, 414, 431]],
  ["a path that goes up", get("/dev/v2/content/../../../../etc/passwd"), [400, 401]],
  ["a path that goes up, encoded", get("/dev/v2/content/%2e%2e%2f%2e%2e%2fetc%2fpasswd"), [400, 401]],
  ["bad escapes", get("/dev/v2/rates/%E0%A4%A"), [400]],
  ["escapes of no UTF-8", get("/dev/v2/rates/%ff%fe"), [400]],
  ["NUL in a path", get("/dev/v2/rates/https%3A%2F%2Fnews.example%2F%00"), [400, 404]],
  ["a prototype as a path", get("/__proto__"), [404]],
  ["a prototype as a page", get("/dev/v2/rates/__proto__"), [400]],
  ["a prototype as a site", get("/dev/v2/content/__proto__/catalog/list"), [400, 404]],
  ["a prototype as a control", get("/__sandbox/__proto__"), [404]],
  ["every object's key as a control", get("/__sandbox/constructor"), [404]],
  ["a page size of nonsense", get("/dev/v2/content/news.example/catalog/list?pageSize=1e9"), [400]],
  ["a page token of nonsense", get("/dev/v2/content/news.example/catalog/list?pageToken=%00%ff"), [400]],
  ["a query without end", get(`/dev/v1/webhook/history?${"a=b&".repeat(10_000)}`), [200, 400, 431]],
  ["no key", get(`/dev/v2/rates/${encodeURIComponent(PAGE)}`, []), [401]],
  ["two keys", get(`/dev/v2/rates/${encodeURIComponent(PAGE)}`, [`ServiceKey: ${KEY}`, "ServiceKey: other"]), [401]],
  [
    "a token of nonsense",
    get(`/dev/v2/content/${encodeURIComponent(PAGE)}`, ["User-Agent: licet-demo/1.0", "ServiceToken: a.b.c"]),
    [401],
  ],
  [
    "a token of JSON",
    get(`/dev/v2/content/${encodeURIComponent(PAGE)}`, [
      "User-Agent: licet-demo/1.0",
      `ServiceToken: ${Buffer.from("{}").toString("base64url")}.${Buffer.from("[]").toString("base64url")}.x`,
    ]),
    [401],
  ],
  ...POSTS.flatMap((path) => [
    [`depth to ${path}`, post(path, deep), [400]] as const,
    [`a depth of sections to ${path}`, post(path, `${'{"url":'.repeat(9_000)}1${"}".repeat(9_000)}`), [400]] as const,
    [`a prototype to ${path}`, post(path, '{"__proto__": {"url": "https://news.example/a"}}'), [400]] as const,
    [
      `1e400 to ${path}`,
      post(path, `{"url": "${PAGE}", "urls": 1e400, "maxPriceMicros": 1e400, "usage": 1e400, "idempotencyId": 1e400}`),
      [400],
    ] as const,
    [
      `half characters to ${path}`,
      post(path, '{"url": "\\ud800", "urls": ["\\ud800"], "idempotencyId": "\\ud800", "usage": [{"url": "\\ud800"}]}'),
      [200, 400, 404],
    ] as const,
  ]),
];

describe("whatever bytes come, they are answered or cut off, and the sandbox continues", () => {
  test.each(BYTES)("%s", async (_, bytes, statuses) => {
    const heard = await send(bytes);
    expect(statuses).toContain(statusOf(heard));
    expect(heard).not.toMatch(/\n\s+at |node:internal|\.ts:\d/);
    await expectInOrder();
  });

  test("a request that is cut off in the middle", async () => {
    const whole = post("/dev/v2/tokens/content", JSON.stringify({ url: PAGE }));
    for (const length of [1, 20, whole.length - 5]) {
      expect(statusOf(await send(whole.slice(0, length), { half: true }))).toSatisfy(
        (status: number) => status === 0 || status === 400,
      );
    }
    await expectInOrder();
  });

  test("two requests in one, the first of them invalid", async () => {
    const heard = await send(`${get("/none")}${get(`/dev/v2/rates/${encodeURIComponent(PAGE)}`)}`);
    expect(statusOf(heard)).toBe(404);
    await expectInOrder();
  });

  test("any JSON, to any endpoint that accepts some", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          ...POSTS,
          "/__sandbox/pages",
          "/__sandbox/rates",
          "/__sandbox/faults",
          "/__sandbox/latency",
          "/__sandbox/notify",
          "/__sandbox/webhooks",
        ),
        fc.oneof(
          anyJson,
          fc.dictionary(
            fc.constantFrom(
              "url",
              "urls",
              "rates",
              "usage",
              "idempotencyId",
              "userAgent",
              "type",
              "latencyMs",
              "maxPriceMicros",
              "currency",
            ),
            fc.oneof(anyJson, nastyText),
          ),
        ),
        async (path, value) => {
          const heard = await send(post(path, JSON.stringify(value) ?? ""));
          // 500 would be a mistake of the sandbox itself. What a control takes, it takes: it is the operator's.
          expect(path.startsWith("/__sandbox/") ? [200, 400, 404] : [400, 403, 404, 415, 200]).toContain(
            statusOf(heard),
          );
          sandbox.setFaults({});
          sandbox.setLatency(0);
        },
      ),
      { ...SEED, numRuns: 150 },
    ));
});
