/** The door that is open to the internet: webhook deliveries. Nobody may write what is not a hint, stop the service, or learn a secret. */
import { createHmac } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { deflateSync, gzipSync } from "node:zlib";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PATIENCE } from "../doubles/patience.ts";
import { type Answer, createServiceWorld, type ServiceWorld } from "../doubles/service-world.ts";
import { anyJson, nastyText, SEED } from "./hostile-values.ts";

const PATH = "/webhooks/main";
const URL_TEXT = `https://agent.example${PATH}`;
const SECRET = "canary-hook-93ae77d1c04b";
const SIGNATURE = createHmac("sha256", SECRET).update(URL_TEXT).digest("hex");
const PROPERTY = { ...SEED, numRuns: 60 };

let world: ServiceWorld;
const answers: string[] = [];

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 1 }] },
    config: {
      sites: [{ host: "news.example", policy: "standard" }],
      webhooks: [{ id: "main", path: PATH, url: URL_TEXT, secret: SECRET }],
    },
  });
});
afterAll(() => world.close());

async function deliver(body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const answer = await world.call("POST", PATH, { headers: { authorization: SIGNATURE, ...headers }, body });
  answers.push(JSON.stringify(answer));
  return answer;
}

function hints(): { url: string; wire_url: string; state: string; timestamp: string; siteless: number }[] {
  const db = new Database(world.ledgerFile, { readonly: true });
  try {
    return db
      .prepare<[], ReturnType<typeof hints>[number]>(
        "SELECT url, wire_url, state, timestamp, site_id IS NULL AS siteless FROM hint",
      )
      .all();
  } finally {
    db.close();
  }
}

/** Sends bytes as they are, and gives back all that comes until the other side closes. */
function sendRaw(bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(world.service.url);
    const socket = connect(Number(port), hostname);
    let heard = "";
    const end = () => {
      socket.destroy();
      answers.push(heard);
      resolve(heard);
    };
    socket.setTimeout(PATIENCE.timeout, end);
    socket.on("data", (chunk) => {
      heard += chunk.toString("latin1");
    });
    socket.on("error", end);
    socket.on("close", end);
    socket.write(bytes);
  });
}

const GOOD = JSON.stringify({ contentUrl: "https://news.example/raw", notificationType: "CREATED", timestamp: "raw" });

function rawRequest(headers: readonly string[], body: string | Buffer = GOOD): Buffer {
  const head = [`POST ${PATH} HTTP/1.1`, "Host: x", "Connection: close", ...headers, "", ""].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]);
}

const LENGTH = `Content-Length: ${Buffer.byteLength(GOOD)}`;
const SIGNED = `Authorization: ${SIGNATURE}`;
const statusOf = (heard: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(heard)?.[1] ?? 0);

describe("a signed body", () => {
  test("of any bytes is a hint or is refused, and never an error of the service", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
        expect((await deliver(bytes)).status).toBe(400);
      }),
      PROPERTY,
    );
  });

  test("with any values in its fields writes only addresses of pages, and bounded texts", async () => {
    const url = fc.oneof(
      anyJson,
      nastyText.map((text) => `https://news.example/${text}`),
    );
    await fc.assert(
      fc.asyncProperty(url, anyJson, fc.oneof(anyJson, fc.constant("UPDATED")), async (contentUrl, timestamp, type) => {
        const { status } = await deliver({ contentUrl, timestamp, notificationType: type, sourceHost: contentUrl });
        expect([200, 400, 429]).toContain(status);
      }),
      PROPERTY,
    );
    for (const hint of hints()) {
      expect(hint.url).toMatch(/^https?:\/\//i);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the point
      expect(hint.url + hint.wire_url).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
      expect(hint.timestamp.length).toBeLessThanOrEqual(64);
      expect(hint.siteless === 1).toBe(hint.state === "unknown_site");
    }
  });

  test.each([
    ["keys of prototypes", '{"__proto__":{"contentUrl":"https://news.example/p","notificationType":"CREATED"}}', 400],
    ["a constructor", '{"constructor":{"prototype":{"contentUrl":"https://news.example/p"}}}', 400],
    ["objects 30,000 deep", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, 400],
    ["lists 30,000 deep", "[".repeat(30_000), 400],
    ["a field that is deep", `{"x":${"[".repeat(20_000)}${"]".repeat(20_000)},${GOOD.slice(1)}`, 200],
    ["the same field twice: the last one counts", `{"contentUrl":"file:///etc/passwd",${GOOD.slice(1)}`, 200],
    ["a byte order mark", `\ufeff${GOOD}`, 200],
    ["a number that is not one", GOOD.replace('"raw"', "1e999"), 200],
    ["two documents", GOOD + GOOD, 400],
    ["a comment", `/* */${GOOD}`, 400],
  ])("with %s", async (_what, body, status) => {
    expect((await deliver(body)).status).toBe(status);
  });

  test.each([
    ["gzip", gzipSync(GOOD), { "content-encoding": "gzip" }],
    ["deflate", deflateSync(GOOD), { "content-encoding": "deflate" }],
    ["a gigabyte of zeros in gzip", gzipSync(Buffer.alloc(50_000_000)), { "content-encoding": "gzip" }],
    ["UTF-16", Buffer.from(GOOD, "utf16le"), { "content-type": "application/json; charset=utf-16" }],
    [
      "Latin-1",
      Buffer.from(GOOD.replace("raw", "rüw"), "latin1"),
      { "content-type": "application/json; charset=latin1" },
    ],
  ])("in %s is not decoded", async (_what, body, headers) => {
    expect((await deliver(body, headers)).status).toBe(400);
  });

  test("of megabytes is refused, and the sender hears why", async () => {
    const heard = await sendRaw(rawRequest([SIGNED, "Content-Length: 5000000"], "x".repeat(100_000)));
    expect(statusOf(heard)).toBe(413);
    expect(heard).toContain("longer than 65536 bytes");
    const chunk = `10000\r\n${"x".repeat(65_536)}\r\n`;
    expect(statusOf(await sendRaw(rawRequest([SIGNED, "Transfer-Encoding: chunked"], chunk + chunk)))).toBe(413);
  });
});

describe("a request that is not honest", () => {
  test("has no effect without the signature, whatever its headers are", async () => {
    const before = hints().length;
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 300 }), fc.string({ maxLength: 50 }), async (authorization, type) => {
        const answer = await deliver(GOOD.replace("/raw", "/forged"), {
          authorization: `x${authorization.replace(/[^\x20-\x7e]/g, "")}`,
          "content-type": `a${type.replace(/[^\x20-\x7e]/g, "")}`,
          "x-forwarded-for": "127.0.0.1",
        });
        expect(answer).toMatchObject({ status: 401, json: { detail: "the delivery is refused" } });
      }),
      PROPERTY,
    );
    expect(hints()).toHaveLength(before);
  });

  test.each([
    ["the signature after a wrong one", ["Authorization: x", SIGNED, LENGTH], 401],
    ["the signature before a wrong one", [SIGNED, "Authorization: x", LENGTH], 200],
    ["two lengths", [SIGNED, LENGTH, "Content-Length: 5"], 400],
    ["a length and chunks", [SIGNED, LENGTH, "Transfer-Encoding: chunked"], 400],
    ["no length", [SIGNED], 400],
    ["a negative length", [SIGNED, "Content-Length: -1"], 400],
    ["headers of 20,000 bytes", [SIGNED, LENGTH, `X: ${"x".repeat(20_000)}`], 400],
    ["a header with a NUL", [SIGNED, LENGTH, "X: \u0000"], 400],
  ])("with %s is answered %i", async (_what, headers, status) => {
    expect(statusOf(await sendRaw(rawRequest(headers)))).toBe(status);
  });

  test.each([
    "/webhooks/main/",
    "//webhooks/main",
    "/webhooks/../webhooks/main",
    "/WEBHOOKS/main",
    "/webhooks/main%00",
    "/webhooks/main;x=1",
    "/webhooks/%6dain%2f",
  ])("to %s is not a delivery", async (path) => {
    const before = hints().length;
    const answer = await world.call("POST", path, {
      headers: { authorization: SIGNATURE },
      body: { contentUrl: "https://news.example/elsewhere", notificationType: "CREATED" },
    });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(hints()).toHaveLength(before);
  });

  test("replayed a hundred times at once is one hint", async () => {
    const body = GOOD.replace("/raw", "/replayed");
    const statuses = await Promise.all(Array.from({ length: 100 }, async () => (await deliver(body)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(hints().filter(({ url }) => url === "https://news.example/replayed")).toHaveLength(1);
  });
});

describe("after all of it", () => {
  test("the service works, and nothing unexpected is in its log", async () => {
    expect((await deliver(GOOD.replace("/raw", "/last"))).status).toBe(200);
    expect((await world.call("GET", "/healthz")).status).toBe(200);
    expect(world.logged.filter((line) => line.includes("unexpected"))).toEqual([]);
    expect(world.logged.filter((line) => line.includes("to the webhook main refused")).length).toBeLessThan(10);
  });

  test("the secret and its signature are in no answer, log line or file", async () => {
    const files = (await readdir(world.directory, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && !/licet\.config/.test(entry.name),
    );
    const bytes = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name))));
    const base64 = Buffer.from(SIGNATURE, "hex").toString("base64").replace("=", "");
    for (const needle of [SECRET, Buffer.from(SECRET).toString("base64"), SIGNATURE, base64]) {
      expect(bytes.filter((file) => file.includes(needle))).toEqual([]);
      expect([...world.logged, ...answers].filter((text) => text.includes(needle))).toEqual([]);
    }
    expect(bytes.length).toBeGreaterThan(0);
    expect(answers.filter((text) => /node_modules|\.ts:\d|at .*\(/.test(text))).toEqual([]);
  });
});
