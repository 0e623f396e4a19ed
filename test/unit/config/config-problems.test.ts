import { describe, expect, it } from "vitest";
import { ENV, errorOf, loadText, MINIMAL } from "./config-text.ts";

/** MINIMAL with one text in the place of another. */
const change = (from: string, to: string) => {
  expect(MINIMAL).toContain(from);
  return MINIMAL.replace(from, to);
};
const inGateway = (line: string) => change("  agentId: acme-agent\n", `  agentId: acme-agent\n  ${line}\n`);
const inSite = (line: string) => `${MINIMAL}    ${line}\n`;
const RULE = "{ license: ON_DEMAND_LICENSE, maxPrice: 0.01 USD }";
const withRule = (rule: string) => change(`allow: ${RULE}`, rule);

describe("loadConfig, on errors in a file", () => {
  it.each([
    ["an unknown key", inSite("polcy: x"), 14, 'sites[0].polcy is not a known key; did you mean "policy"?'],
    ["an unknown section", `${MINIMAL}budget: []\n`, 14, 'budget is not a known key; did you mean "budgets"?'],
    ["a key like no other", inGateway("zzz: 1"), 5, "known here: baseUrl, service"],
    ["an unknown condition", withRule("allow: { licence: X }"), 10, 'did you mean "license"?'],
    [
      "bad money",
      change("limit: 1 USD", "limit: USD 1"),
      6,
      '"USD 1" is not an amount of money: write the amount first',
    ],
    ["bad money in a rule", withRule('deny: { maxPrice: "1,5 USD" }'), 10, "policies.standard.rules[0].deny.maxPrice"],
    ["a negative limit", change("limit: 1 USD", 'limit: "-1 USD"'), 6, "cannot be negative"],
    [
      "a number for money",
      change("limit: 1 USD", "limit: 1"),
      6,
      'budgets[0].limit must be an amount with its currency: write "1 USD"',
    ],
    ["an amount with separators", change("limit: 1 USD", 'limit: "1,000.00 USD"'), 6, 'point: write "1000.00 USD"'],
    [
      "a number for a duration",
      inSite("refresh: { maxAge: 30 }"),
      14,
      'must be a duration with its unit: write "30s",',
    ],
    ["too long a duration in milliseconds", inGateway("timeoutMs: 2h"), 5, '"2h" is too long: 3600000 ms is the most'],
    ["too small a number of milliseconds", inGateway("timeoutMs: 0"), 5, "gateway.timeoutMs must be at least 1"],
    ["a wrong text for milliseconds", inGateway("timeoutMs: 30 sec"), 5, '"30 sec" is not a duration'],
    ["neither for milliseconds", inGateway("timeoutMs: [30]"), 5, "must be a number of milliseconds, or a duration"],
    [
      "a policy that is like no other",
      change("policy: standard", "policy: cheap"),
      13,
      "an unknown policy (known: standard)",
    ],
    [
      "quotes inside a policy's name",
      change("policy: standard", `policy: "'standard'"`),
      13,
      "write standard (known: standard)",
    ],
    [
      "a site without a policy",
      change("    policy: standard\n", ""),
      12,
      "must be the name of a policy (known: standard)",
    ],
    ["a bad duration", inSite("refresh: { maxAge: 30 days }"), 14, '"30 days" is not a duration'],
    [
      "a least age above the greatest",
      inSite("refresh: { maxAge: 1d, minAge: 25h }"),
      14,
      "must not be more than maxAge",
    ],
    ["too short a duration", `${MINIMAL}reporting: { every: 10ms }\n`, 14, "is too short"],
    ["a bad cron expression", inSite('schedule: "0 25 * * *"'), 14, '"0 25 * * *" is not a cron expression: '],
    ["too short a cron expression", inSite('schedule: "0 2"'), 14, "five fields"],
    ["a day that never comes", inSite('schedule: "0 0 31 2 *"'), 14, "is not a cron expression"],
    ["an H in a cron expression", inSite('schedule: "H 2 * * *"'), 14, "has an H, whose time would be another one"],
    [
      "an unknown policy",
      change("policy: standard", "policy: standart"),
      13,
      'an unknown policy; did you mean "standard"? (known: standard)',
    ],
    [
      "a site listed twice",
      `${MINIMAL}  - { host: NEWS.example, policy: standard }\n`,
      14,
      "is already the host of another site",
    ],
    [
      "a budget listed twice",
      change("policies:", "  - { scope: run, limit: 2 USD }\npolicies:"),
      7,
      "as another budget",
    ],
    ["a run budget with a period", change("scope: run,", "scope: run, per: day,"), 6, "must be left out"],
    [
      "a budget for no site",
      change("scope: run", 'scope: "site:new.example"'),
      6,
      'not among the sites; did you mean "news.example"?',
    ],
    [
      "a budget's scope with an address",
      change("scope: run", 'scope: "site:https://news.example"'),
      6,
      "names no host",
    ],
    ["a scope that is none", change("scope: run", "scope: everything"), 6, '"everything" is not a scope'],
    [
      "a base address that is none",
      change("http://127.0.0.1:8402", "ftp://gateway.example"),
      2,
      "must be an http or https address",
    ],
    ["a base address with a password", change("http://127", "http://user:pass@127"), 2, "without user name"],
    [
      "a host that is an address",
      change("news.example", "https://news.example/a"),
      12,
      "without scheme and path, as news.example",
    ],
    ["a user agent without the agent's id", inGateway("userAgent: other/1.0"), 5, "must contain gateway.agentId"],
    ["a line feed in a header", inGateway('userAgent: "acme-agent\\nX: y"'), 5, "visible ASCII"],
    ["a glob that is an address", inSite('include: ["https://news.example/**"]'), 14, "matched against the path alone"],
    ["a glob that matches no path", inSite('exclude: ["tag/**"]'), 14, '"tag/**" can match no path'],
    [
      "a glob with what other globs know",
      inSite('exclude: ["/+(a|b)/**"]'),
      14,
      '"/+(a|b)/**" has one of \\ [ ] ( ) | }+, which are not part of a glob here: write * ** ? and {a,b}',
    ],
    ["a whole number with a fraction", inGateway("concurrency: 1.5"), 5, "must be a whole number, but is a number"],
    ["a number below its least", inGateway("concurrency: 0"), 5, "must be at least 1"],
    ["a number above its most", inGateway("concurrency: 4097"), 5, "must be at most 4096"],
    ["a rate limit of zero", inGateway("requestsPerSecond: 0"), 5, "must be more than 0"],
    [
      "a path without its parameter",
      inGateway('paths: { rate: "/rates" }'),
      5,
      "must start with / and contain {url} once",
    ],
    ["a fee that is too fine", inGateway("fee: { percent: 0.00001 }"), 5, "four decimals at most"],
    [
      "a value outside its list",
      inSite("refresh: { when: modifed }"),
      14,
      '"modifed" is none of modified, always, never; did you mean "modified"?',
    ],
    [
      "a policy name with a space",
      change("  standard:\n", '  "my policy":\n'),
      8,
      'policies["my policy"] is not a name for a policy',
    ],
    ["a policy without rules", change(`\n      - allow: ${RULE}`, " []"), 9, "must not be empty"],
    ["a rule that allows and denies", withRule("{ allow: {}, deny: {} }"), 10, "must have one of allow and deny"],
    ["a rule that does neither", withRule("{}"), 10, "must have one of allow and deny"],
    ["a rule left empty", withRule("allow:"), 10, "must be a section with keys, but is empty"],
    ["two currencies in a rule", withRule("allow: { currency: EUR, maxPrice: 1 USD }"), 10, "more than one currency"],
    [
      "prices that exclude each other",
      withRule("allow: { minPrice: 2 USD, maxPrice: 1 USD }"),
      10,
      "a minPrice above its maxPrice",
    ],
    [
      "a permission with a slip",
      withRule("deny: { permissions: [CITATION_REQUIRD] }"),
      10,
      'did you mean "CITATION_REQUIRED"?',
    ],
    [
      "a permission asked for and against",
      withRule("deny: { permissions: [A_USE], lacks: [A_USE] }"),
      10,
      "can never match",
    ],
    [
      "prices under indexing",
      change("    rules:", "    intent: indexing\n    rules:"),
      11,
      "cannot be used under intent: indexing",
    ],
    [
      "billing what is not reported",
      `${MINIMAL}reporting: { kinds: [use], billed: [fetch] }\n`,
      14,
      "has fetch, which reporting.kinds does not report",
    ],
    [
      "the same for a site",
      inSite("reporting: { kinds: [fetch], billed: [use] }"),
      14,
      "sites[0].reporting.billed has use",
    ],
    [
      "a webhook's address without its secret",
      `${MINIMAL}webhooks: [{ id: a, path: /a, url: "https://a.example/a" }]\n`,
      14,
      "webhooks[0].secret is missing",
    ],
    [
      "a source that is not an IP address",
      `${MINIMAL}webhooks: [{ id: a, path: /a, url: "https://a.example/a", secret: s, sourceIp: a.example }]\n`,
      14,
      "is not an IP address",
    ],
    [
      "a queue of an unknown kind",
      `${MINIMAL}queue: { url: "kafka://x" }\n`,
      14,
      "has the unknown scheme kafka://. Write queue.url as embedded, redis://",
    ],
    [
      "a Sentinel without the name of its master",
      `${MINIMAL}queue: { url: "redis-sentinel://u:s3cret@h:26379" }\n`,
      14,
      "queue.url names no master",
    ],
    [
      "a queue on PostgreSQL",
      `${MINIMAL}queue: { url: "postgres://u:s3cret@h/d" }\n`,
      14,
      "queue.url names a PostgreSQL, which cannot be the queue. Write queue.url as embedded, redis://",
    ],
    ["a missing section", change("sites:\n", "sites_:\n"), 1, "sites is missing: it must be a list"],
    ["a key called __proto__", `${MINIMAL}__proto__: { a: 1 }\n`, 14, "__proto__ is not a known key"],
  ])("names line and cause of %s", async (_, text, line, message) => {
    const error = await errorOf(loadText(text));
    expect(error.code).toBe("CONFIG_INVALID");
    expect(error.message).toContain(message);
    expect(error.message).toContain(`licet.config.yaml:${line} `);
    expect(error.details).toMatchObject({
      line: expect.any(Number),
      file: expect.stringContaining("licet.config.yaml"),
    });
  });

  it("lists all problems at once, of single values and of combinations, in the order of their lines", async () => {
    const text = change("limit: 1 USD", "limit: 1")
      .replace("policy: standard", "policy: other\n    hots: x")
      .replace("maxPrice: 0.01 USD", "maxPrice: cheap");
    const error = await errorOf(loadText(text));
    const lines = error.message.split("\n");
    expect(lines[0]).toBe("licet.config.yaml has 4 problems:");
    expect(lines.slice(1).map((line) => line.trim().split(" ")[0])).toEqual([
      "licet.config.yaml:6",
      "licet.config.yaml:10",
      "licet.config.yaml:13",
      "licet.config.yaml:14",
    ]);
    expect(error.details).toMatchObject({ line: 6, problems: 4, path: "budgets[0].limit" });
  });

  it("lists the first fifty of very many", async () => {
    const text = MINIMAL + Array.from({ length: 60 }, (_, n) => `  - { host: "a/${n}", policy: standard }\n`).join("");
    const error = await errorOf(loadText(text));
    expect(error.message.split("\n")).toHaveLength(52);
    expect(error.message).toContain("… and 10 more");
  });

  it("allows an unknown permission", async () => {
    await expect(loadText(withRule("deny: { permissions: [AI_TRAINING] }"), ENV)).resolves.toBeDefined();
  });
});
