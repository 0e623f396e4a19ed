import { describe, expect, it } from "vitest";
import { ENV, loadText, MINIMAL } from "./config-text.ts";

const DAY_MS = 86_400_000;

describe("resolveConfig", () => {
  it("fills in every default", async () => {
    const { file, ledger, policies, ...config } = await loadText(MINIMAL);
    const policy = {
      name: "standard",
      intent: "content",
      format: "markdown",
      prefer: "cheapest",
      inDoubt: "hold",
      retentionMs: null,
      onExpiry: "keep",
      rules: [
        {
          effect: "allow",
          conditions: {
            license: "ON_DEMAND_LICENSE",
            cuid: null,
            permissions: null,
            lacks: null,
            maxPrice: { micros: 10_000, currency: "USD" },
            minPrice: null,
            currency: null,
            urls: null,
            modifiedWithinMs: null,
          },
          value: null,
        },
      ],
    };
    expect([...policies]).toEqual([["standard", policy]]);
    expect(config).toEqual({
      envFiles: [],
      warnings: [],
      policyTests: [],
      gateway: {
        baseUrl: "http://127.0.0.1:8402",
        service: "Service",
        apiKey: ENV.LICET_API_KEY,
        agentId: "acme-agent",
        userAgent: "acme-agent/1.0",
        concurrency: 64,
        requestsPerSecond: 200,
        timeoutMs: 30_000,
        catalogPageSize: 500,
        quoteBatchSize: 200,
        licenseIdField: "licenseCuid",
        reportPermissions: false,
        headers: {},
        paths: {},
        fee: null,
      },
      queue: { url: "embedded" },
      budgets: [{ scope: { kind: "run" }, period: "total", limitMicros: 1_000_000, currency: "USD" }],
      sites: [
        {
          host: "news.example",
          policy,
          schedule: null,
          include: [],
          exclude: [],
          maxPages: null,
          refresh: { when: "modified", maxAgeMs: null, minAgeMs: null, fullWalkEveryMs: 7 * DAY_MS, overlapMs: DAY_MS },
          reporting: { kinds: ["fetch", "use"], billed: ["use"] },
        },
      ],
      reporting: { kinds: ["fetch", "use"], billed: ["use"], batchSize: 500, everyMs: 300_000, windowMs: DAY_MS },
      run: { order: "catalog", maxPages: null, maxSpend: null, maxDurationMs: null },
      content: { threads: 2, maxInputBytes: 5_000_000, maxOutputBytes: 5_000_000, timeoutMs: 10_000, minBytes: 1 },
      serve: {
        host: "127.0.0.1",
        port: 8403,
        token: null,
        tokens: [],
        trustProxy: false,
        plans: null,
        shutdownMs: 30_000,
        workers: 1,
      },
      webhooks: [],
      history: { everyMs: 60_000, overlapMs: 3_600_000 },
      alerts: [],
    });
  });

  it("resolves scopes, periods and hosts to one spelling", async () => {
    const budgets = `  - { scope: all, per: month, limit: 500 USD }\n  - { scope: "site:NEWS.example:443", per: week, limit: 0 EUR }\n`;
    const config = await loadText(
      MINIMAL.replace("policies:", `${budgets}policies:`).replace("news.example", "News.Example"),
    );
    expect(config.sites[0]?.host).toBe("news.example");
    expect(config.budgets.slice(1)).toEqual([
      { scope: { kind: "all" }, period: "month", limitMicros: 500_000_000, currency: "USD" },
      { scope: { kind: "site", host: "news.example" }, period: "week", limitMicros: 0, currency: "EUR" },
    ]);
  });

  it.each([
    ["bücher.example", "xn--bcher-kva.example"],
    ["news.example:8080", "news.example:8080"],
    ["127.0.0.1:8402", "127.0.0.1:8402"],
    ["localhost", "localhost"],
    ['"[::1]:80"', "[::1]:80"],
  ])("reads the host %s as %s", async (host, canonical) => {
    const config = await loadText(MINIMAL.replace("news.example", host));
    expect(config.sites[0]?.host).toBe(canonical);
  });

  it.each([
    ["{ percent: 2.5 }", { ratePpm: 25_000, fixed: null }],
    ["{ percent: 0.0001, fixed: 0.01 USD }", { ratePpm: 1, fixed: { micros: 10_000, currency: "USD" } }],
    ["{ percent: 100 }", { ratePpm: 1_000_000, fixed: null }],
    ["{ percent: 0.07 }", { ratePpm: 700, fixed: null }],
    ["{ fixed: 1 USD }", { ratePpm: 0, fixed: { micros: 1_000_000, currency: "USD" } }],
  ])("counts the fee %s exactly", async (fee, expected) => {
    const config = await loadText(MINIMAL.replace("agentId: acme-agent", `agentId: acme-agent\n  fee: ${fee}`));
    expect(config.gateway.fee).toEqual(expected);
  });

  it.each([
    ["refresh: { when: always }", null],
    ["refresh: { fullWalkEvery: 0s }", null],
    ["refresh: { fullWalkEvery: 1d }", DAY_MS],
  ])("makes a full walk after %s: %s ms", async (line, fullWalkEveryMs) => {
    const config = await loadText(`${MINIMAL}    ${line}\n`);
    expect(config.sites[0]?.refresh.fullWalkEveryMs).toBe(fullWalkEveryMs);
  });

  it.each([
    ["reporting: { kinds: [fetch] }", "", { kinds: ["fetch"], billed: [] }],
    ["reporting: { billed: [fetch, use] }", "", { kinds: ["fetch", "use"], billed: ["fetch", "use"] }],
    ["reporting: { billed: [] }", "", { kinds: ["fetch", "use"], billed: [] }],
    ["reporting: { billed: [fetch] }", "reporting: { kinds: [use] }", { kinds: ["use"], billed: [] }],
    ["reporting: { kinds: [use] }", "reporting: { kinds: [fetch, use] }", { kinds: ["fetch", "use"], billed: ["use"] }],
    ["reporting: { kinds: [use] }", "reporting: { kinds: [] }", { kinds: [], billed: [] }],
  ])("%s with the site's %s", async (general, ofSite, terms) => {
    const config = await loadText(`${MINIMAL}${ofSite === "" ? "" : `    ${ofSite}\n`}${general}\n`);
    expect(config.sites[0]?.reporting).toEqual(terms);
  });

  it("keeps the given gateway names, limits and webhooks", async () => {
    const gateway = `agentId: acme-agent
  baseUrl: "https://gateway.example/base//"
  requestsPerSecond: null
  headers: { token: "Authorization: Bearer", reportAgent: "{Name}-Agent" }
  paths: { rate: "/{name}/dev/v2/rate/{url}", history: /h }`;
    const rest = `run: { maxPages: 5, maxSpend: 2 USD, maxDuration: 2h }
webhooks:
  - { id: main, path: /hooks, url: "https://agent.example/hooks?x=1", secret: "\${LICET_API_KEY}", sourceIp: "::1" }
`;
    const text = MINIMAL.replace('  baseUrl: "http://127.0.0.1:8402"\n', "").replace("agentId: acme-agent", gateway);
    const config = await loadText(text + rest);
    expect(config.gateway).toMatchObject({
      baseUrl: "https://gateway.example/base",
      requestsPerSecond: null,
      headers: { token: "Authorization: Bearer", reportAgent: "{Name}-Agent" },
      paths: { rate: "/{name}/dev/v2/rate/{url}", history: "/h" },
    });
    expect(config.run).toEqual({
      order: "catalog",
      maxPages: 5,
      maxSpend: { micros: 2_000_000, currency: "USD" },
      maxDurationMs: 7_200_000,
    });
    expect(config.webhooks).toEqual([
      {
        id: "main",
        path: "/hooks",
        url: "https://agent.example/hooks?x=1",
        secret: ENV.LICET_API_KEY,
        sourceIp: "::1",
        userAgent: null,
      },
    ]);
  });
});
