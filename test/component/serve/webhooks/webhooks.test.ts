import { createHmac } from "node:crypto";
import Database from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createServiceWorld, type ServiceWorld } from "../../../doubles/service-world.ts";

const URL_TEXT = "https://agent.example/webhooks/main";
const SECRET = "the-secret-of-main";
const hex = createHmac("sha256", SECRET).update(URL_TEXT).digest("hex");
const base64 = createHmac("sha256", SECRET).update(URL_TEXT).digest("base64");

let world: ServiceWorld;
/** Each test has pages of its own. */
let pages = 0;
let page = "";

beforeAll(async () => {
  world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: "news.example", pages: 1 }] },
    config: {
      sites: [{ host: "news.example", policy: "standard", exclude: ["/tag/**"] }],
      serve: { port: 0, trustProxy: true },
      webhooks: [
        { id: "main", path: "/webhooks/main", url: URL_TEXT, secret: SECRET },
        { id: "strict", path: "/webhooks/strict", url: URL_TEXT, secret: SECRET, ...STRICT },
      ],
    },
  });
});
afterAll(() => world.close());
beforeEach(() => {
  pages += 1;
  page = `https://news.example/webhook/${pages}`;
});

const STRICT = { sourceIp: "192.0.2.7", userAgent: "gateway-bot/1.0" };
const FROM_STRICT = { "x-forwarded-for": "192.0.2.7", "user-agent": "gateway-bot/1.0" };
const ACCEPTED = { status: 200, json: { status: "accepted" } };

function payload(change: object = {}) {
  return {
    sourceCuid: "acct-1",
    sourceHost: "news.example",
    contentUrl: page,
    timestamp: "2026-11-22T04:05:06.123456789Z",
    notificationType: "CREATED",
    ...change,
  };
}

interface Sent {
  readonly body?: unknown;
  readonly authorization?: string;
  readonly headers?: Record<string, string>;
  readonly path?: string;
}

function deliver({ body = payload(), authorization = hex, headers = {}, path = "/webhooks/main" }: Sent = {}) {
  return world.call("POST", path, { headers: { authorization, ...headers }, body });
}

function hints(url = page): unknown[] {
  const db = new Database(world.ledgerFile, { readonly: true });
  try {
    return db
      .prepare(
        "SELECT subscription, wire_url, kind, timestamp, source, iif(state IN ('entered', 'done'), 'waiting', state) AS state FROM hint WHERE wire_url = ?",
      )
      .all(url);
  } finally {
    db.close();
  }
}

describe("a delivery that is signed", () => {
  it.each([
    ["hex", hex],
    ["hex in capitals", hex.toUpperCase()],
    ["base64", base64],
    ["base64 without padding", base64.replace("=", "")],
    ["URL-safe base64", Buffer.from(base64, "base64").toString("base64url")],
    ["a prefix", `sha256=${hex}`],
    ["a scheme", `HMAC-SHA256 ${base64}`],
  ])("is accepted with %s", async (_what, authorization) => {
    expect(await deliver({ authorization })).toMatchObject(ACCEPTED);
  });

  it("is on disk when it is answered", async () => {
    await deliver();
    expect(hints()).toEqual([
      {
        subscription: "main",
        wire_url: page,
        kind: "created",
        timestamp: "2026-11-22T04:05:06.123456789Z",
        source: "delivery",
        state: "waiting",
      },
    ]);
  });

  it("is recorded once, however often and in whatever way it is repeated", async () => {
    const all = [deliver(), deliver(), deliver({ path: "/webhooks/strict", headers: FROM_STRICT }), deliver()];
    for (const answer of [...(await Promise.all(all)), await deliver()]) {
      expect(answer).toMatchObject(ACCEPTED);
    }
    expect(hints()).toHaveLength(1);
    await deliver({ body: payload({ notificationType: "UPDATED" }) });
    await deliver({ body: payload({ timestamp: "2026-11-22T04:05:06.123456788Z" }) });
    expect(hints()).toHaveLength(3);
  });

  it.each([
    ["a timestamp that is a number", { timestamp: 1_795_320_306 }],
    ["a timestamp that cannot be read", { timestamp: "yesterday" }],
    ["no timestamp", { timestamp: undefined }],
    ["fields that are not known", { extra: { deep: [1] } }],
  ])("is recorded with %s", async (_what, change) => {
    expect(await deliver({ body: payload(change) })).toMatchObject(ACCEPTED);
    expect(hints()).toHaveLength(1);
  });

  it("is read as JSON whatever type it says it has", async () => {
    for (const type of [
      "text/plain",
      "application/json; charset=latin1",
      "garbage",
      "application/x-www-form-urlencoded",
    ]) {
      expect(await deliver({ headers: { "content-type": type } })).toMatchObject(ACCEPTED);
    }
    expect(hints()).toHaveLength(1);
  });

  it("about a page that no site has, or that a glob leaves out, is recorded and waits for nothing", async () => {
    const [unknown, excluded] = ["https://other.example/x", "https://news.example/tag/x"];
    await deliver({ body: payload({ contentUrl: unknown }) });
    await deliver({ body: payload({ contentUrl: excluded }) });
    expect([...hints(unknown), ...hints(excluded)]).toMatchObject([{ state: "unknown_site" }, { state: "excluded" }]);
  });
});

describe("a delivery that is not from the gateway", () => {
  const wrong = createHmac("sha256", "another secret").update(URL_TEXT).digest("hex");
  const REFUSED = { type: "about:blank", title: "Unauthorized", status: 401, detail: "the delivery is refused" };

  it.each([
    ["no signature", ""],
    ["a wrong signature", wrong],
    ["a signature of the body", createHmac("sha256", SECRET).update("{}").digest("hex")],
    ["half a signature", hex.slice(0, 32)],
    ["the secret itself", SECRET],
    ["a header of the largest size", "x".repeat(8000)],
  ])("is refused with the same answer for %s", async (_what, authorization) => {
    const answer = await deliver({ authorization });
    expect(answer).toMatchObject({ status: 401, json: REFUSED });
    expect(hints()).toEqual([]);
  });

  it("is refused before its body is looked at", async () => {
    expect((await deliver({ authorization: wrong, body: "not JSON" })).json).toEqual(REFUSED);
    expect((await deliver({ authorization: wrong, body: "x".repeat(70_000) })).json).toEqual(REFUSED);
  });

  it.each([
    ["192.0.2.7", 200],
    ["::ffff:192.0.2.7", 200],
    ["::FFFF:c000:207", 200],
    ["192.0.2.7:4711", 200],
    ["203.0.113.9, 192.0.2.7", 200],
    ["192.0.2.7, 203.0.113.9", 403],
    ["192.0.2.8", 403],
    ["", 403],
  ])("is checked for its address behind a proxy: %j is answered %i", async (forwarded, status) => {
    const headers = { ...FROM_STRICT, "x-forwarded-for": forwarded };
    expect((await deliver({ path: "/webhooks/strict", headers })).status).toBe(status);
  });

  it("is refused with another user agent", async () => {
    const headers = { ...FROM_STRICT, "user-agent": "gateway-bot/1.1" };
    const answer = await deliver({ path: "/webhooks/strict", headers });
    expect(answer).toMatchObject({ status: 403, json: { detail: "the delivery is refused" } });
  });

  it("does not fill the log, and its log line has no secret", async () => {
    await Promise.all(Array.from({ length: 50 }, () => deliver({ authorization: wrong })));
    const lines = world.logged.filter((line) => line.includes('"reason":"signature"'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain("127.0.0.1");
    expect(world.logged.join()).not.toContain(SECRET);
    expect(world.logged.join()).not.toContain(wrong);
  });
});

describe("a delivery that cannot be read", () => {
  const expectRefusal = async (body: unknown, status: number, detail: RegExp) => {
    const answer = await deliver({ body });
    expect(answer).toMatchObject({ status, json: { status, detail: expect.stringMatching(detail) } });
    expect(answer.headers["content-type"]).toContain("application/problem+json");
  };

  it.each([
    ["no body", ""],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["bytes that are not UTF-8", Buffer.from('{"contentUrl":"\xff"}', "latin1")],
  ])("is refused: %s", async (_what, body) => {
    await expectRefusal(body, 400, /not a JSON object/);
  });

  it.each([
    ["no page", { contentUrl: null }, 400, /contentUrl/],
    ["a page that is a script", { contentUrl: "javascript:alert(1)" }, 400, /contentUrl/],
    ["no kind", { notificationType: "DELETED" }, 400, /notificationType/],
    ["too many bytes", { extra: "x".repeat(65_536) }, 413, /longer than 65536 bytes/],
  ])("is refused: %s", async (_what, change, status, detail) => {
    await expectRefusal(payload(change), status, detail);
    expect(hints()).toEqual([]);
  });

  it("is not a delivery with another method", async () => {
    for (const method of ["GET", "PUT", "DELETE"]) {
      expect((await world.call(method, "/webhooks/main", { headers: { authorization: hex } })).status).not.toBe(200);
    }
  });
});
