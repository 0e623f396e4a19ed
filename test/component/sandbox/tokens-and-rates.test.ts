import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import {
  askContentToken,
  askIndexingToken,
  CLOSED_URL,
  CUSTOM_URL,
  call,
  createStillClock,
  FREE_URL,
  fetchContent,
  JSON_KEY,
  KEY,
  PAGE_URL,
  post,
  startGateway,
} from "./gateway-caller.ts";

let gateway: Sandbox;
const clock = createStillClock();

beforeEach(async () => {
  gateway = await startGateway({ clock, maxUrlsPerBatch: 4 });
});
afterEach(() => gateway.close());

const ratesPath = (url: string) => `/dev/v2/rates/${encodeURIComponent(url)}`;

describe("a content token", () => {
  test("is a JWT with the claims of the notes", async () => {
    const { token } = (await askContentToken(gateway)).json;
    const [head, payload] = token.split(".").map((part: string) => Buffer.from(part, "base64url").toString());
    expect(JSON.parse(head)).toEqual({ alg: "HS256", typ: "JWT" });
    const now = Math.floor(clock.now() / 1_000);
    expect(JSON.parse(payload)).toMatchObject({
      iss: expect.any(String),
      sub: PAGE_URL,
      aud: expect.any(String),
      exp: now + 300,
      nbf: now,
      iat: now,
      jti: expect.any(String),
      tt: "content",
      x: { ua: "licet-demo/1.0", mpm: 2_000, cur: "USD", lt: "ON_DEMAND_LICENSE", lid: expect.any(String) },
    });
  });

  test("of a custom license buys at that license's rate", async () => {
    const wanted = { url: CUSTOM_URL, maxPriceMicros: 7_000, licenseType: "CUSTOM_LICENSE", licenseCuid: "custom-1" };
    const { token } = (await askContentToken(gateway, wanted)).json;
    const { rate } = (await fetchContent(gateway, token, { url: CUSTOM_URL })).json;
    expect(rate).toMatchObject({
      license: { id: "custom-1", licenseType: "CUSTOM_LICENSE" },
      price: { priceMicros: 7_000 },
    });
  });

  test.each([
    ["a cap below the rate", { maxPriceMicros: 1_999 }, 400, "price-above-cap"],
    ["another currency", { currency: "EUR" }, 400, "currency-mismatch"],
    ["a currency that is none", { currency: "dollars" }, 400, "parameter-invalid"],
    ["a cap that is not an integer", { maxPriceMicros: 2_000.5 }, 400, "parameter-invalid"],
    ["a cap that is a text", { maxPriceMicros: "2000" }, 400, "parameter-invalid"],
    ["a negative cap", { maxPriceMicros: -1 }, 400, "parameter-invalid"],
    ["no cap", { maxPriceMicros: undefined }, 400, "parameter-invalid"],
    ["a licence type that there is not", { licenseType: "FREE_LICENSE" }, 400, "parameter-invalid"],
    [
      "a licence that the page does not offer",
      { licenseType: "ON_DEMAND_FULL_USE_LICENSE" },
      400,
      "license-not-offered",
    ],
    ["an empty cuid where one is needed", { licenseType: "CUSTOM_LICENSE", licenseCuid: "" }, 400, "parameter-invalid"],
    ["a cuid that is not the licence's", { licenseCuid: "other" }, 400, "license-not-offered"],
    ["a custom licence without cuid", { url: CUSTOM_URL, licenseType: "CUSTOM_LICENSE" }, 400, "parameter-invalid"],
    ["a page without rates", { url: CLOSED_URL }, 400, "license-not-offered"],
    ["an unknown format", { format: "pdf" }, 400, "parameter-invalid"],
    ["a user agent without a registered AgentID", { userAgent: "curl/8" }, 400, "parameter-invalid"],
    ["no user agent", { userAgent: undefined }, 400, "parameter-invalid"],
    ["a URL that is none", { url: "news.example/a" }, 400, "parameter-invalid"],
    ["an unknown page", { url: "https://news.example/none" }, 404, "page-unknown"],
  ])("is refused for %s", async (_name, fields, status, code) => {
    expect(await askContentToken(gateway, { maxPriceMicros: 9_000, ...fields })).toMatchObject({
      status,
      json: { code },
    });
    expect(gateway.audit().tokens.issued).toBe(0);
  });

  test("treats an empty cuid as none, as a vendor's client sends it", async () => {
    expect(await askContentToken(gateway, { licenseCuid: "" })).toMatchObject({ status: 200 });
  });

  test("is refused for a page whose publisher refuses access, although it has rates", async () => {
    gateway.addPage({ url: "https://news.example/refused", rates: [{ priceMicros: 1 }], access: "refused" });
    const refused = await askContentToken(gateway, { url: "https://news.example/refused" });
    expect(refused).toMatchObject({ status: 400, json: { code: "access-refused" } });
  });

  test.each([
    ["without a key", {}],
    ["with a wrong key", { ServiceKey: "other" }],
  ])("is refused with 401 %s", async (_name, headers) => {
    for (const path of ["/dev/v2/tokens/content", "/dev/v2/tokens/crawl"]) {
      const answer = await call(gateway, "POST", path, { "Content-Type": "application/json", ...headers }, "{}");
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain("other");
    }
  });
});

test("an indexing token names its kind and no terms", async () => {
  const { token } = (await askIndexingToken(gateway)).json;
  const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString());
  expect(claims).toMatchObject({ tt: "crawl", sub: PAGE_URL });
  expect(claims.x).not.toHaveProperty("mpm");
});

describe("single rates", () => {
  test("are an array of license (with id) and price", async () => {
    const answer = await call(gateway, "GET", ratesPath(CUSTOM_URL), KEY);
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual([
      {
        license: {
          id: expect.any(String),
          licensePath: expect.stringMatching(/^https:/),
          licenseType: "ON_DEMAND_LICENSE",
          permissions: [{ name: "PARTIAL_USE" }],
        },
        price: { priceMicros: 2_000, currency: "USD" },
      },
      {
        license: expect.objectContaining({ id: "custom-1", licenseType: "CUSTOM_LICENSE" }),
        price: { priceMicros: 7_000, currency: "USD" },
      },
    ]);
  });

  test.each([
    ["a free page has a rate of 0", FREE_URL, 200, 1],
    ["a page that cannot be licensed has none", CLOSED_URL, 200, 0],
  ])("%s", async (_name, url, status, count) => {
    const answer = await call(gateway, "GET", ratesPath(url), KEY);
    expect(answer.status).toBe(status);
    expect(answer.json).toHaveLength(count);
  });

  test.each([
    ["an unknown page", ratesPath("https://news.example/none"), KEY, 404],
    ["a malformed URL", "/dev/v2/rates/nothing", KEY, 400],
    ["a missing key", ratesPath(PAGE_URL), {}, 401],
    ["a wrong key", ratesPath(PAGE_URL), { ServiceKey: "sandbox-key2" }, 401],
  ])("are refused for %s", async (_name, path, headers, status) => {
    expect((await call(gateway, "GET", path, headers)).status).toBe(status);
  });

  test("change when the sandbox is told to", async () => {
    gateway.setRates("/a", [{ priceMicros: 5, currency: "EUR", licenseType: "ON_DEMAND_FULL_USE_LICENSE" }]);
    const [rate] = (await call(gateway, "GET", ratesPath(PAGE_URL), KEY)).json;
    expect(rate).toMatchObject({ price: { priceMicros: 5, currency: "EUR" } });
    expect(rate.license.permissions).toEqual([{ name: "FULL_USE" }, { name: "PARTIAL_USE" }]);
  });
});

describe("bulk rates", () => {
  const bulk = (urls: unknown) => post(gateway, "/dev/v2/rates/batch", { urls });

  test("are one object per URL in the requested order, licenses with cuid", async () => {
    const answer = await bulk([FREE_URL, CUSTOM_URL, FREE_URL]);
    expect(answer.status).toBe(200);
    expect(answer.json.map(({ url }: { url: string }) => url)).toEqual([FREE_URL, CUSTOM_URL, FREE_URL]);
    expect(answer.json[1].rates[1].license).toMatchObject({ cuid: "custom-1" });
    expect(answer.json[1].rates[1].license).not.toHaveProperty("id");
  });

  test("have no rates for an unknown page, and its neighbours keep theirs", async () => {
    const answer = await bulk(["https://other.example/x", PAGE_URL]);
    expect(answer.json[0]).toEqual({ url: "https://other.example/x", rates: [] });
    expect(answer.json[1].rates).toHaveLength(1);
  });

  test("accept the largest batch and refuse one more", async () => {
    expect((await bulk(new Array(4).fill(PAGE_URL))).status).toBe(200);
    expect((await bulk(new Array(5).fill(PAGE_URL))).status).toBe(400);
  });

  test.each([
    ["no URL", []],
    ["a URL that is none", ["a"]],
    ["a number", [1]],
    ["an object in the place of the list", {}],
    ["nothing", undefined],
  ])("are refused for %s", async (_name, urls) => {
    expect(await bulk(urls)).toMatchObject({ status: 400, json: { code: "urls-invalid" } });
  });

  test("need a key", async () => {
    const body = JSON.stringify({ urls: [PAGE_URL] });
    const answer = await call(gateway, "POST", "/dev/v2/rates/batch", { ...JSON_KEY, ServiceKey: "" }, body);
    expect(answer).toMatchObject({ status: 401, json: { code: "key-missing" } });
  });
});
