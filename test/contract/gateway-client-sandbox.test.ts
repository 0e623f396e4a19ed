/** The client against the sandbox, which was written from the same specification and shares no code with it. */
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parsePageUrl } from "../../src/catalog/page-url.ts";
import type { GatewayClientOptions } from "../../src/gateway/client-options.ts";
import type { ContentTokenRequest } from "../../src/gateway/gateway.ts";
import { GatewayClient } from "../../src/gateway/gateway-client.ts";
import { toMicros } from "../../src/money/micros.ts";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { PATIENCE } from "../doubles/patience.ts";

const HOST = "news.example";
const at = (path: string) => `https://${HOST}${path}`;

/** Spelled as a catalog may spell them; each must be found again for rate, token, content and report. */
const AWKWARD_PATHS = [
  "/",
  "/catalog/list",
  "/trailing/",
  "/a%20b",
  "/a%2Fb",
  "/über/日本",
  "/sub!$&'()*+,;=delims",
  "/query?a=1&b=%26",
  "/long/".padEnd(1980, "x"),
];

const PAGES = [
  { url: "/paid", markdown: "# Paid\n\ntext", rates: [{ priceMicros: 2000 }] },
  {
    url: "/custom",
    markdown: "# Custom",
    rates: [
      { priceMicros: 5000, licenseType: "CUSTOM_LICENSE", cuid: "c9" },
      { priceMicros: 0, licenseType: "ON_DEMAND_FULL_USE_LICENSE" },
    ],
  },
  { url: "/none", markdown: "# Not licensable", rates: [] },
  ...AWKWARD_PATHS.map((path) => ({
    url: at(path),
    markdown: `# ${path.slice(0, 40)}`,
    rates: [{ priceMicros: 100 }],
  })),
] as const;

interface Profile {
  readonly name: string;
  readonly client: Partial<GatewayClientOptions>;
  readonly sandbox: Partial<SandboxOptions>;
}

const PROFILES: readonly Profile[] = [
  { name: "Service, as specified", client: {}, sandbox: {} },
  { name: "Tollbit", client: { service: "Tollbit" }, sandbox: { service: "Tollbit" } },
  {
    name: "Tollbit with every variant seen",
    client: {
      service: "Tollbit",
      headers: { token: "Authorization: Bearer" },
      paths: {
        rate: "/{name}/dev/v2/rate/{url}",
        rateBatch: "/{name}/dev/v2/rate/batch",
        contentToken: "/{name}/dev/v2/tokens/content",
        indexingToken: "/{name}/dev/v2/tokens/crawl",
        selfReport: "/dev/v2/transactions/selfReport",
      },
    },
    sandbox: {
      service: "Tollbit",
      profileVariants: {
        headers: { token: "Authorization: Bearer" },
        paths: {
          rate: "/tollbit/dev/v2/rate/{url}",
          rateBatch: "/tollbit/dev/v2/rate/batch",
          contentToken: "/tollbit/dev/v2/tokens/content",
          indexingToken: "/tollbit/dev/v2/tokens/crawl",
          selfReport: "/dev/v2/transactions/selfReport",
        },
        reportShape: "receipts",
        licenseIdName: "id",
        timestamps: "missing",
        problemType: "application/json",
      },
    },
  },
];

async function openPair(profile: Partial<Profile> = {}) {
  const sandbox = await startSandbox({ sites: [{ kind: "pages", host: HOST, pages: PAGES }], ...profile.sandbox });
  onTestFinished(() => sandbox.close());
  const client = new GatewayClient({
    baseUrl: sandbox.url,
    apiKey: "sandbox-key",
    agentId: "licet-demo",
    userAgent: "licet-demo/1.0",
    requestsPerSecond: null,
    ...profile.client,
  });
  onTestFinished(() => client.close());
  return { sandbox, client };
}

function tokenRequest(url: string, micros: number, more: Partial<ContentTokenRequest> = {}): ContentTokenRequest {
  return {
    url,
    maxPrice: { micros: toMicros(micros), currency: "USD" },
    licenseType: "ON_DEMAND_LICENSE",
    licenseCuid: null,
    format: "markdown",
    ...more,
  };
}

describe.each(PROFILES)("$name", (profile) => {
  test("walks the catalog to its end, page by page", async () => {
    const { client } = await openPair(profile);
    const seen: string[] = [];
    let pageToken: string | null = null;
    do {
      const page = await client.listCatalog({ host: HOST, pageToken, pageSize: 5 });
      expect(page.unreadable).toBe(0);
      seen.push(...page.entries.map((entry) => entry.pageUrl));
      pageToken = page.nextPageToken;
    } while (pageToken !== null);
    expect(new Set(seen).size).toBe(PAGES.length);
  });

  test("finds each unusual page again under one spelling, for rate, token, content and report", async () => {
    const { client, sandbox } = await openPair(profile);
    const { entries } = await client.listCatalog({ host: HOST, pageToken: null, pageSize: 100 });
    const wireUrls = entries.map(({ pageUrl }) => {
      const parsed = parsePageUrl(pageUrl, HOST);
      return parsed.ok ? parsed.pageUrl.wireUrl : parsed.reason;
    });
    const quotes = await client.quoteBatch(wireUrls);
    expect([...quotes.keys()].sort()).toEqual([...wireUrls].sort());
    for (const url of wireUrls) {
      expect(await client.quotePage(url)).toEqual(quotes.get(url));
      if (quotes.get(url)?.rates[0]?.price.micros !== 100) {
        continue;
      }
      const { token } = await client.issueContentToken(tokenRequest(url, 100));
      expect(await client.fetchContent({ url, token, format: "markdown" })).toMatchObject({ kind: "content" });
      const usage = [{ url, timesUsed: 1, licenseType: "ON_DEMAND_LICENSE" }];
      const report = await client.reportUsage(Buffer.from(JSON.stringify({ idempotencyId: url.slice(-200), usage })));
      expect(report).toMatchObject({ kind: "accepted", receipts: [{ url, totalUsePriceMicros: 100 }] });
    }
    expect(sandbox.audit().charges).toHaveLength(AWKWARD_PATHS.length);
  });

  test("buys a page once: the first answer uses up the token", async () => {
    const { client, sandbox } = await openPair(profile);
    const { token, expiresAt } = await client.issueContentToken(tokenRequest(at("/paid"), 2000, { format: "html" }));
    expect(expiresAt).toBeGreaterThan(Date.now());
    const request = { url: at("/paid"), token, format: "html" } as const;
    const answer = await client.fetchContent(request);
    expect(answer).toMatchObject({
      kind: "content",
      requestId: expect.any(String),
      content: { rate: { price: { micros: 2000, currency: "USD" } }, rateUnreadable: null },
    });
    expect(await client.fetchContent(request)).toMatchObject({ kind: "unauthorized" });
    expect(sandbox.audit().charges).toHaveLength(1);
  });

  test("buys under a custom license by its identifier, and reports under the profile's own field", async () => {
    const { client } = await openPair(profile);
    const url = at("/custom");
    const listing = await client.quotePage(url);
    const custom = listing.rates.find((rate) => rate.license.licenseType === "CUSTOM_LICENSE");
    expect(custom?.license.cuid).toBe("c9");
    const more = { licenseType: "CUSTOM_LICENSE", licenseCuid: "c9" } as const;
    const { token } = await client.issueContentToken(tokenRequest(url, 5000, more));
    expect(await client.fetchContent({ url, token, format: "markdown" })).toMatchObject({ kind: "content" });
    const entry = { url, timesUsed: 3, licenseType: "CUSTOM_LICENSE", [client.profile.licenseIdField]: "c9" };
    const body = Buffer.from(JSON.stringify({ idempotencyId: "r1", usage: [entry] }));
    const accepted = await client.reportUsage(body);
    expect(accepted).toMatchObject({ receipts: [{ licenseCuid: "c9", totalUsePriceMicros: 15_000 }], unreadable: 0 });
    expect(await client.reportUsage(body)).toEqual(accepted);
    const changed = Buffer.from(JSON.stringify({ idempotencyId: "r1", usage: [{ ...entry, timesUsed: 4 }] }));
    expect(await client.reportUsage(changed)).toMatchObject({ kind: "rejected", status: 409 });
  });

  test("fetches with an indexing token, without a rate", async () => {
    const { client, sandbox } = await openPair(profile);
    const { token } = await client.issueIndexingToken(at("/paid"));
    const answer = await client.fetchContent({ url: at("/paid"), token, format: "markdown" });
    expect(answer).toMatchObject({ kind: "content", content: { rate: null } });
    expect(sandbox.audit().charges).toEqual([]);
  });

  test("reads an empty delivery history", async () => {
    const { client } = await openPair(profile);
    expect(await client.listHistory({ nextToken: null, size: 25, daysAgo: 1 })).toEqual({ items: [], nextToken: null });
  });
});

test("a page without rates is listed with none, and an unknown page is refused", async () => {
  const { client } = await openPair();
  expect(await client.quotePage(at("/none"))).toEqual({ rates: [], unreadable: [] });
  await expect(client.quotePage(at("/unknown"))).rejects.toMatchObject({ retry: "never" });
});

test("a cap below the rate is refused before anything is bought", async () => {
  const { client, sandbox } = await openPair();
  await expect(client.issueContentToken(tokenRequest(at("/paid"), 1999))).rejects.toMatchObject({
    code: "GATEWAY_REFUSED",
    details: { status: 400 },
  });
  expect(sandbox.audit().tokens.issued).toBe(0);
});

test("a wrong key is one clear error on every keyed endpoint", async () => {
  const { client } = await openPair({ client: { apiKey: "wrong-key-0123" } });
  const calls = [
    client.listCatalog({ host: HOST, pageToken: null, pageSize: 1 }),
    client.quoteBatch([at("/paid")]),
    client.quotePage(at("/paid")),
    client.issueContentToken(tokenRequest(at("/paid"), 2000)),
    client.issueIndexingToken(at("/paid")),
    client.listHistory({ nextToken: null, size: 1, daysAgo: null }),
  ];
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: "GATEWAY_UNAUTHORIZED", stops: "run" } });
  }
  expect(await client.reportUsage(Buffer.from("{}"))).toMatchObject({ kind: "unauthorized", status: 401 });
});

test.each([
  ["reset-before", "reset", 0],
  ["reset-after-charge", "reset", 1],
  ["reset-mid-body", "reset", 1],
  ["status-500-after-charge", "server_error", 1],
  ["status-503", "server_error", 0],
  ["truncated-json", "bad_body", 1],
  ["empty-200", "bad_body", 1],
  ["wrong-shape", "bad_body", 1],
  ["error-200", "bad_body", 1],
  ["timeout", "timeout", null],
])("content with the fault %s is unanswered (%s), and requested once", async (fault, reason, charges) => {
  const { client, sandbox } = await openPair({ client: { timeoutMs: 200 } });
  const { token } = await client.issueContentToken(tokenRequest(at("/paid"), 2000));
  sandbox.setFaults({ [`content:${fault}`]: 1 });
  const answer = await client.fetchContent({ url: at("/paid"), token, format: "markdown" });
  expect(answer).toMatchObject({ kind: "unanswered", reason, sent: true });
  const audit = sandbox.audit();
  expect(Object.values(audit.faults)).toEqual([1]);
  expect(audit.charges.length).toBeLessThanOrEqual(1);
  if (charges !== null) {
    expect(audit.charges).toHaveLength(charges);
  }
});

test.each(["bulk-shuffle", "bulk-missing", "bulk-duplicate", "bulk-error"])(
  "bulk rates with the fault %s are matched by URL",
  async (fault) => {
    const { client } = await openPair({ sandbox: { faults: { [fault]: 1 } } });
    const urls = [at("/none"), at("/paid"), at("/custom")];
    const quotes = await client.quoteBatch(urls);
    expect(quotes.size).toBe(fault === "bulk-missing" ? 2 : 3);
    for (const [url, { rates }] of quotes) {
      const expected = url === urls[1] ? [2000] : url === urls[2] ? [5000, 0] : [];
      expect(rates.map((rate) => rate.price.micros)).toEqual(expected);
    }
    const refused = [...quotes.values()].flatMap(({ rates }) => rates.filter((rate) => rate.error !== null));
    expect(refused.length > 0).toBe(fault === "bulk-error");
  },
);

test("repeatable calls succeed through faults of every kind, with enough retries", async () => {
  const { client } = await openPair({
    sandbox: {
      faults: { "reset-before": 0.2, "status-503": 0.2, "reset-mid-body": 0.2, "truncated-json": 0.2 },
      seed: 3,
    },
    client: { retries: 100, clock: { now: Date.now, sleep: async () => {} } },
  });
  const urls = Array.from({ length: 20 }, (_, index) => at(index % 2 === 0 ? "/paid" : "/custom"));
  const listings = await Promise.all(urls.map((url) => client.quotePage(url)));
  expect(listings.map(({ rates }) => rates.length)).toEqual(urls.map((_, index) => (index % 2 === 0 ? 1 : 2)));
});

test("the Date of the answers is known, and is that of the sandbox's clock", async () => {
  const { client, sandbox } = await openPair();
  expect(client.dateAt()).toBeNull();
  expect(Math.abs(((await client.askDate(at("/"))) ?? 0) - Date.now())).toBeLessThan(5_000);
  sandbox.moveClock(400 * 86_400_000);
  await client.quotePage(at("/paid"));
  expect(Math.round(((client.dateAt() ?? 0) - Date.now()) / 86_400_000)).toBe(400);
});

test("a server that answers is told from one that does not, and within the share", async () => {
  const { client, sandbox } = await openPair({ client: { connectTimeoutMs: 1_000 } });
  const { signal } = new AbortController();
  client.limits.setShare({ concurrency: 0, requestsPerSecond: null, burst: 1 });
  expect(await client.reach(signal)).toBeNull();
  client.limits.setShare({ concurrency: 1, requestsPerSecond: null, burst: 1 });
  expect(await client.reach(signal)).toEqual({ ok: true, detail: "its server answers 404" });
  await sandbox.close();
  expect(await client.reach(signal)).toMatchObject({ ok: false });
});

test("a client keeps to its share, and says when the gateway asks for a rest", async () => {
  const { client } = await openPair({ sandbox: { faults: { "status-429": 1 } }, client: { retries: 0 } });
  const rests: number[] = [];
  const stop = client.limits.onRest(() => rests.push(client.limits.pauseMs()));
  client.limits.setShare({ concurrency: 1, requestsPerSecond: null, burst: 1 });
  const asked = [at("/paid"), at("/custom")].map((url) => client.quotePage(url).catch(() => null));
  expect(client.limits.inFlight).toBe(1);
  await vi.waitUntil(() => rests.length === 1, PATIENCE);
  stop();
  client.limits.rest(60_000);
  expect(client.limits.pauseMs()).toBeGreaterThan(50_000);
  expect(rests[0]).toBeGreaterThan(0);
  await client.close();
  await Promise.all(asked);
});
