import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import {
  AGENT,
  askContentToken,
  askIndexingToken,
  CLOSED_URL,
  call,
  contentPath,
  createStillClock,
  fetchContent,
  PAGE_URL,
  startGateway,
} from "./gateway-caller.ts";

let gateway: Sandbox;
let clock: ReturnType<typeof createStillClock>;

beforeEach(async () => {
  clock = createStillClock();
  gateway = await startGateway({ clock });
});
afterEach(() => gateway.close());

async function contentToken(fields: Record<string, unknown> = {}): Promise<string> {
  return (await askContentToken(gateway, fields)).json.token;
}

describe("paid content", () => {
  test("comes as Markdown with metadata and rate, and is charged once", async () => {
    const answer = await fetchContent(gateway, await contentToken());
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/json");
    expect(answer.headers["x-request-id"]).toMatch(/^sb-/);
    expect(answer.json).toMatchObject({
      content: { header: "", body: "# Alpha\n\nThe *first* page.", footer: "" },
      metadata: { title: "Alpha", author: "", description: "", imageUrl: "", modified: "", published: "" },
      rate: {
        license: { licenseType: "ON_DEMAND_LICENSE", permissions: [{ name: "PARTIAL_USE" }] },
        price: { priceMicros: 2_000, currency: "USD" },
      },
    });
    expect(answer.json.rate.license.id).toEqual(expect.any(String));
    expect(answer.json.rate.license).not.toHaveProperty("cuid");
    expect(gateway.audit()).toMatchObject({
      charges: [{ url: PAGE_URL, priceMicros: 2_000, currency: "USD", agent: "licet-demo", at: clock.now() }],
      totals: { USD: { chargedMicros: 2_000, chargeCount: 1, reportedMicros: 0, reportedUses: 0 } },
      tokens: { issued: 1, spent: 1 },
    });
  });

  test("comes as HTML when HTML is requested", async () => {
    const html = { "Service-Accept-Content": "text/html" };
    const answer = await fetchContent(gateway, await contentToken(), { headers: html });
    expect(answer.json.content.body).toBe("<h1>Alpha</h1>\n<p>The <em>first</em> page.</p>");
  });

  test("comes in the token's format when no format is requested", async () => {
    const answer = await fetchContent(gateway, await contentToken({ format: "html" }));
    expect(answer.json.content.body).toContain("<h1>");
  });

  test("of a free page has a charge of zero", async () => {
    const url = "https://news.example/free";
    const token = await contentToken({ url, maxPriceMicros: 0 });
    expect((await fetchContent(gateway, token, { url })).json.rate.price.priceMicros).toBe(0);
    expect(gateway.audit().totals).toMatchObject({ USD: { chargedMicros: 0, chargeCount: 1 } });
  });

  test("finds a page whose own path is /catalog/list", async () => {
    const url = "https://news.example/catalog/list";
    gateway.addPage({ url, markdown: "# Listed", rates: [{ priceMicros: 1 }] });
    const answer = await fetchContent(gateway, await contentToken({ url }), { url });
    expect(answer.json.metadata.title).toBe("Listed");
  });

  test("distinguishes pages by trailing slash and by query", async () => {
    gateway.addPage({ url: `${PAGE_URL}/`, markdown: "# Slash", rates: [{ priceMicros: 1 }] });
    gateway.addPage({ url: `${PAGE_URL}?p=2`, markdown: "# Query", rates: [{ priceMicros: 1 }] });
    for (const [url, title] of [
      [PAGE_URL, "Alpha"],
      [`${PAGE_URL}/`, "Slash"],
      [`${PAGE_URL}?p=2`, "Query"],
    ] as const) {
      const answer = await fetchContent(gateway, await contentToken({ url }), { url });
      expect(answer.json.metadata.title).toBe(title);
    }
  });
});

describe("indexed content", () => {
  test("has no rate and is not charged", async () => {
    const { token } = (await askIndexingToken(gateway)).json;
    const answer = await fetchContent(gateway, token);
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json)).toEqual(["content", "metadata"]);
    expect(gateway.audit()).toMatchObject({ charges: [], totals: {}, tokens: { issued: 1, spent: 1 } });
  });

  test("is refused with 400 where the publisher does not allow it", async () => {
    const { token } = (await askIndexingToken(gateway, { url: CLOSED_URL })).json;
    const answer = await fetchContent(gateway, token, { url: CLOSED_URL });
    expect(answer).toMatchObject({ status: 400, json: { code: "indexing-disallowed" } });
    expect(gateway.audit().tokens.spent).toBe(0);
  });

  test("needs a fresh token each time", async () => {
    const { token } = (await askIndexingToken(gateway)).json;
    await fetchContent(gateway, token);
    expect((await fetchContent(gateway, token)).status).toBe(401);
  });
});

describe("a token", () => {
  test("is valid once: the second use is a 401 and charges nothing", async () => {
    const token = await contentToken();
    expect((await fetchContent(gateway, token)).status).toBe(200);
    expect(await fetchContent(gateway, token)).toMatchObject({ status: 401, json: { code: "token-spent" } });
    expect(gateway.audit().totals).toMatchObject({ USD: { chargeCount: 1 } });
  });

  test("is valid once among many requests at the same time", async () => {
    const token = await contentToken();
    const answers = await Promise.all(Array.from({ length: 12 }, () => fetchContent(gateway, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...new Array(11).fill(401)]);
    expect(gateway.audit().totals).toMatchObject({ USD: { chargeCount: 1 } });
  });

  test("is valid until it expires and no longer", async () => {
    const [kept, late] = [await contentToken(), await contentToken()];
    clock.move(299_999);
    expect((await fetchContent(gateway, kept)).status).toBe(200);
    clock.move(1);
    expect(await fetchContent(gateway, late)).toMatchObject({ status: 401, json: { code: "token-expired" } });
  });

  test("is bound to its URL", async () => {
    const token = await contentToken({ url: "https://news.example/custom" });
    expect(await fetchContent(gateway, token)).toMatchObject({ status: 401, json: { code: "token-other-url" } });
  });

  test("is bound to its user agent", async () => {
    const token = await contentToken({ userAgent: "licet-demo/2.0" });
    expect(await fetchContent(gateway, token)).toMatchObject({ status: 401, json: { code: "token-other-agent" } });
  });

  test("does not buy a page whose rate is now above its cap, and is not used up by that", async () => {
    const token = await contentToken();
    gateway.setRates(PAGE_URL, [{ priceMicros: 2_001 }]);
    expect(await fetchContent(gateway, token)).toMatchObject({ status: 400, json: { code: "price-above-cap" } });
    gateway.setRates(PAGE_URL, [{ priceMicros: 1_999 }]);
    expect((await fetchContent(gateway, token)).json.rate.price.priceMicros).toBe(1_999);
  });

  test("does not buy a license that is no longer offered", async () => {
    const token = await contentToken();
    gateway.setRates(PAGE_URL, []);
    expect(await fetchContent(gateway, token)).toMatchObject({ status: 400, json: { code: "license-not-offered" } });
  });

  test("of a removed page gets a 404", async () => {
    const token = await contentToken();
    gateway.removePage(PAGE_URL);
    expect((await fetchContent(gateway, token)).status).toBe(404);
  });
});

describe("content is refused", () => {
  test.each([
    ["without a token", 401, "token-missing", { ServiceToken: "" }],
    ["with a text that is not a token", 401, "token-malformed", { ServiceToken: "abc" }],
    ["with a user agent that is not registered", 401, "agent-unknown", { "User-Agent": "curl/8" }],
    ["in a format that there is not", 400, "format-invalid", { "Service-Accept-Content": "application/pdf" }],
  ])("%s", async (_name, status, code, headers) => {
    expect(await fetchContent(gateway, await contentToken(), { headers })).toMatchObject({ status, json: { code } });
    expect(gateway.audit().charges).toEqual([]);
  });

  test("when the format is not the one of the token", async () => {
    const token = await contentToken({ format: "html" });
    const headers = { "Service-Accept-Content": "text/markdown" };
    expect(await fetchContent(gateway, token, { headers })).toMatchObject({
      status: 400,
      json: { code: "format-conflict" },
    });
  });

  test("with a token whose claims were changed", async () => {
    const [head, payload = "", signature] = (await contentToken()).split(".");
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
    claims.x.mpm = 0;
    const forged = `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`;
    expect(await fetchContent(gateway, forged)).toMatchObject({ status: 401, json: { code: "token-signature" } });
  });

  test("with a token of another gateway", async () => {
    const other = await startGateway();
    const { token } = (await askContentToken(other)).json;
    await other.close();
    expect((await fetchContent(gateway, token)).status).toBe(401);
  });

  test.each([
    ["a page that is on no site", "https%3A%2F%2Fnews.example%2Fnone", 404],
    ["a site that there is not", "https%3A%2F%2Fother.example%2Fa", 404],
    ["a URL that is not encoded", "https://news.example/a", 400],
    ["a URL whose colon is not encoded", "https:%2F%2Fnews.example%2Fa", 400],
    ["a broken percent-encoding", "https%3A%2F%2Fnews.example%2F%ZZ", 400],
    ["bytes that are not UTF-8", "https%3A%2F%2Fnews.example%2F%FF", 400],
    ["a relative URL", "%2Fa", 400],
    ["another scheme", "ftp%3A%2F%2Fnews.example%2Fa", 400],
    ["a URL with a password", "https%3A%2F%2Fme%3Ait%40news.example%2Fa", 400],
    ["nothing at all", "", 400],
  ])("for %s", async (_name, segment, status) => {
    const headers = { ServiceToken: await contentToken(), "User-Agent": AGENT };
    const answer = await call(gateway, "GET", `/dev/v2/content/${segment}`, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers["content-type"]).toBe("application/problem+json");
    expect(answer.json).toMatchObject({
      type: expect.stringMatching(/^urn:problem:/),
      title: expect.any(String),
      status,
      detail: expect.any(String),
      instance: `/dev/v2/content/${segment}`,
    });
  });

  test("for a URL that is complete only after a second decoding", async () => {
    const headers = { ServiceToken: await contentToken(), "User-Agent": AGENT };
    const twice = encodeURIComponent(encodeURIComponent(PAGE_URL));
    expect((await call(gateway, "GET", `/dev/v2/content/${twice}`, headers)).status).toBe(400);
    expect((await call(gateway, "GET", contentPath(PAGE_URL), headers)).status).toBe(200);
  });
});
