/** Wrong calls of a program: each is LicetError USAGE_INVALID with a hint, before anything is opened, created or sent. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Agent } from "../../../../src/agent/agent.ts";
import { createAgent } from "../../../../src/agent/create-agent.ts";
import { loadConfig } from "../../../../src/config/load-config.ts";
import { isLicetError } from "../../../../src/errors.ts";
import { GatewayClient } from "../../../../src/gateway/gateway-client.ts";

// biome-ignore lint/suspicious/noExplicitAny: what JavaScript lets a program write
type Loose = Record<string, (...args: any[]) => any>;

const CONFIG = {
  gateway: { baseUrl: "http://127.0.0.1:9", apiKey: "key-1234", agentId: "acme-agent" },
  budgets: [{ scope: "all", limit: "1 USD" }],
  policies: { standard: { rules: [{ allow: {} }] } },
  sites: [{ host: "news.example", policy: "standard" }],
};
const CLIENT = { baseUrl: "http://127.0.0.1:9", apiKey: "key-1234", agentId: "acme", userAgent: "acme/1.0" };

let directory: string;
let agent: Agent;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-calls-"));
  agent = createAgent({ ...CONFIG, ledger: { path: join(directory, "licet.sqlite") } }, { cwd: directory, env: {} });
});
afterEach(async () => {
  await agent.close();
  await rm(directory, { recursive: true, force: true });
});

/** What a call ends in, whether it throws, rejects, or fails when it is first iterated over. */
async function failureOf(work: () => unknown): Promise<unknown> {
  try {
    const result = await work();
    const iterator = result as AsyncIterator<unknown> | undefined;
    if (typeof iterator?.next === "function") {
      await iterator.next();
    }
  } catch (error) {
    return error;
  }
  return "nothing was wrong";
}

async function expectMisuse(work: () => unknown, message: RegExp): Promise<void> {
  const error = await failureOf(work);
  expect(isLicetError(error, "USAGE_INVALID"), String(error)).toBe(true);
  expect(error).toMatchObject({ message: expect.stringMatching(message), hint: expect.stringMatching(/\S/) });
  expect(await readdir(directory)).toEqual([]);
}

const MONEY = /maxSpend (is not|must be) an amount of money/;
const COUNT = /must be a whole number, 1 or more/;

describe("a call with a wrong argument is refused", () => {
  it.each<[method: string, args: readonly unknown[], message: RegExp]>([
    ["run", [null], /must be an object, not null/],
    ["run", ["news.example"], /must be an object, not "news.example"/],
    ["run", [["news.example"]], /must be an object, not a list/],
    ["run", [{ maxPage: 3 }], /there is no option "maxPage"/],
    ["run", [{ hosts: "news.example" }], /hosts must be a list of texts/],
    ["run", [{ hosts: [7] }], /hosts must be a list of texts/],
    ["run", [{ resume: true }], /resume must be a text/],
    ["run", [{ resume: "" }], /resume must be a text/],
    ["run", [{ maxPages: Number.NaN }], COUNT],
    ["run", [{ maxPages: -1 }], COUNT],
    ["run", [{ maxPages: 0 }], COUNT],
    ["run", [{ maxPages: 1.5 }], COUNT],
    ["run", [{ maxPages: "3" }], COUNT],
    ["run", [{ maxPages: null }], COUNT],
    ["run", [{ maxPages: Number.POSITIVE_INFINITY }], COUNT],
    ["run", [{ maxSpend: 5 }], MONEY],
    ["run", [{ maxSpend: "5" }], MONEY],
    ["run", [{ maxSpend: "-5 USD" }], MONEY],
    ["run", [{ maxSpend: { micros: -1, currency: "USD" } }], MONEY],
    ["run", [{ maxSpend: { micros: 0.5, currency: "USD" } }], MONEY],
    ["run", [{ maxSpend: { micros: Number.NaN, currency: "USD" } }], MONEY],
    ["run", [{ maxSpend: { micros: "5", currency: "USD" } }], MONEY],
    ["run", [{ maxSpend: { micros: 5, currency: "usd" } }], MONEY],
    ["run", [{ maxSpend: { micros: 5 } }], MONEY],
    ["run", [{ maxSpend: "5 EUR" }], /no budget is in EUR/],
    ["run", [{ maxSpend: { micros: 5, currency: "EUR" } }], /no budget is in EUR/],
    ["run", [{ signal: "now" }], /signal must be an AbortSignal/],
    ["run", [{ signal: {} }], /signal must be an AbortSignal/],
    ["run", [{ hosts: ["other.example"] }], /other.example is not a configured site/],
    ["plan", [null], /must be an object/],
    ["plan", [{ maxSpend: 5 }], MONEY],
    ["plan", [{ maxSpend: "5 EUR" }], /no budget is in EUR/],
    ["plan", [{ maxPages: 0 }], /maxPages must be/],
    ["plan", [{ list: "pages.csv" }], /list must be a file or the pages themselves/],
    ["plan", [{ maxDuration: "5m" }], /there is no option "maxDuration"/],
    ["plan", [{ hosts: {} }], /hosts must be a list of texts/],
    ["use", [undefined], /the uses must be a list/],
    ["use", ["https://news.example/a"], /the uses must be a list/],
    ["use", [{ url: "https://news.example/a" }], /the uses must be a list/],
    ["use", [[null]], /must be an object, not null/],
    ["use", [["https://news.example/a"]], /must be an object/],
    ["use", [[{ times: 1 }]], /a use must have a url/],
    ["use", [[{ url: 7 }]], /url must be a text/],
    ["use", [[{ url: "https://news.example/a", times: "2" }]], /times must be a number/],
    ["use", [[{ url: "https://news.example/a", usedAt: new Date(0) }]], /usedAt must be/],
    ["use", [[{ url: "https://news.example/a", key: 7 }]], /key must be a text/],
    ["use", [[{ url: "https://news.example/a", time: 2 }]], /there is no option "time"/],
    ["report", [null], /must be an object/],
    ["report", [{ signals: null }], /there is no option "signals"/],
    ["report", [{ signal: 1 }], /signal must be an AbortSignal/],
    ["runStatus", [], /runId must be a text/],
    ["runStatus", [7], /runId must be a text/],
    ["explain", [], /url must be a text/],
    ["explain", [new URL("https://news.example/a")], /url must be a text/],
    ["resolve", ["7", true], /purchaseId must be a whole number/],
    ["resolve", [Number.NaN, true], /purchaseId must be a whole number/],
    ["resolve", [7], /charged must be true or false/],
    ["resolve", [7, "no"], /charged must be true or false/],
    ["resolve", [7, true, null], /must be an object/],
    ["resolve", [7, true, { keepOff: 1 }], /keepOff must be true or false/],
    ["resolve", [7, true, { keepOf: true }], /there is no option "keepOf"/],
    ["resolveRun", ["run_1"], /must be an object/],
    ["resolveRun", ["run_1", {}], /charged must be true or false/],
    ["resolveRun", [7, { charged: true }], /runId must be a text/],
    ["resolveInvoice", ["invoice.csv", { charged: true }], /lines must be a list/],
    ["resolveInvoice", [[], "charged"], /must be an object/],
    ["resolveReport", ["3", true], /batchId must be a whole number/],
    ["resolveReport", [3], /taken must be true or false/],
    ["closeItem", [], /itemId must be a whole number/],
    ["prune", [{ olderThan: "soon" }], /olderThan must be a duration/],
    ["prune", [{ olderThan: 90 }], /olderThan must be a duration/],
    ["prune", [{ dryRun: "yes" }], /dryRun must be true or false/],
    ["prune", [{ older: "90d" }], /there is no option "older"/],
    ["documents", [null], /must be an object/],
    ["documents", [{ host: 7 }], /host must be a text/],
    [
      "documents",
      [{ since: "yesterday" }],
      /since must be a Date, epoch milliseconds, an ISO 8601 date of the years 1971 to 2199, or the id of a run/,
    ],
    ["documents", [{ since: new Date("never") }], /since must be a Date/],
    ["documents", [{ run: 7 }], /run must be a text/],
    ["documents", [{ cursor: "" }], /cursor must be a text of 1 to 4096 characters/],
    ["documents", [{ cursor: "index", since: 0 }], /there is no option "since"/],
    ["documentRange", [{ cursor: "index" }], /target must be given/],
    ["documents", [{ site: "a.example", host: "b.example" }], /site and host name two sites/],
    ["run", [{ onDocument: "log" }], /onDocument must be a function/],
    ["run", [{ onDocumentConcurrency: 0 }], /onDocumentConcurrency must be a whole number from 1 to 1024/],
    ["documents", [{ deriveMarkdown: "yes" }], /deriveMarkdown must be true or false/],
    ["documents", [{ hosts: [] }], /there is no option "hosts"/],
    ["runs", [{ limit: 0 }], COUNT],
    ["runs", [{ state: "dead" }], /state must be one of running, .*, died/],
    ["fetch", ["https://news.example/a"], /the URLs must be a list of texts/],
    ["fetch", [[]], /the URLs must be a list of texts/],
    ["fetch", [Array(101).fill("https://news.example/a")], /101 URLs are too many: a call takes 100/],
    ["fetch", [["x"], { maxPrice: 1 }], /maxPrice must be an amount of money/],
    ["fetch", [["x"], { maxSpent: "1 USD" }], /there is no option "maxSpent"/],
    ["runDetails", [7], /runId must be a text/],
    ["runDetails", ["run_1", { state: "bought" }], /state must be one of reserved, .*, denied/],
    ["runDetails", ["run_1", { licence: "x" }], /there is no option "licence"/],
    ["history", [{ daysAgo: -1 }], COUNT],
    ["history", [{ limit: Number.NaN }], COUNT],
    ["history", [{ limits: 1 }], /there is no option "limits"/],
    ["on", ["page.aquired", () => {}], /there is no event "page.aquired"/],
    ["on", ["warning"], /listener must be a function/],
    ["off", ["warning", 7], /listener must be a function/],
  ])("%s(%j)", (method, args, message) => expectMisuse(() => (agent as unknown as Loose)[method]?.(...args), message));

  it("names the nearest existing option", async () => {
    const error = await failureOf(() => (agent as unknown as Loose).run?.({ maxPage: 3 }));
    expect(error).toMatchObject({ hint: 'did you mean "maxPages"?' });
  });

  it("does not repeat the content of an object, which may be a secret", async () => {
    const error = await failureOf(() => (agent as unknown as Loose).explain?.({ apiKey: "key-1234" }));
    expect(JSON.stringify(error)).not.toContain("key-1234");
  });
});

describe("after close", () => {
  const calls: Readonly<Record<Exclude<keyof Agent, "on" | "off" | "close">, readonly unknown[]>> = {
    plan: [],
    run: [],
    fetch: [["https://news.example/a"]],
    cancel: ["run_1"],
    use: [[]],
    report: [],
    status: [],
    runStatus: ["run_1"],
    runs: [],
    runDetails: ["run_1"],
    runFunnel: ["run_1"],
    plans: [],
    planDetails: ["may.jsonl"],
    usageReports: [],
    usageReport: [1],
    raisedAlerts: [],
    acknowledgeAlert: [1],
    pauseSite: ["news.example"],
    unpauseSite: ["news.example"],
    schedule: [],
    spend: [],
    rights: [],
    findDocuments: [],
    documentDetails: [1],
    sites: [],
    siteDetails: ["news.example"],
    denials: [],
    statement: [],
    explain: ["https://news.example/a"],
    evidence: ["https://news.example/a"],
    log: [],
    audit: [],
    prune: [],
    purge: [],
    backup: ["copy.sqlite"],
    restore: ["copy.sqlite"],
    acceptRestored: [],
    resolve: [7, true],
    resolveRun: ["run_1", { charged: true }],
    resolveInvoice: [[], { charged: true }],
    resolveReport: [3, true],
    closeItem: [1],
    documentRange: [{ cursor: "index", target: "here" }],
    documents: [],
    history: [],
    alerts: [],
    check: [],
  };
  it.each(Object.entries(calls))("%s is refused", async (method, args) => {
    await agent.close();
    await expectMisuse(() => (agent as unknown as Loose)[method]?.(...args), /this agent is closed/);
  });

  it("each method of the agent is in the table above", () => {
    expect(Object.keys(agent).sort()).toEqual([...Object.keys(calls), "on", "off", "close"].sort());
  });
});

describe("wrong options are refused at creation", () => {
  it.each<[name: string, make: () => unknown, message: RegExp]>([
    ["createAgent with null for options", () => createAgent(CONFIG, null as never), /must be an object/],
    ["createAgent with an unknown option", () => createAgent(CONFIG, { dir: "." } as never), /no option "dir"/],
    ["createAgent with a number for cwd", () => createAgent(CONFIG, { cwd: 7 } as never), /cwd must be a text/],
    ["createAgent with a text for env", () => createAgent(CONFIG, { env: "A=1" } as never), /env must be an object/],
    ["createAgent without a configuration", () => createAgent(undefined as never), /configuration must be an object/],
    ["createAgent with the path of one", () => createAgent("licet.yaml" as never), /configuration must be an object/],
    ["loadConfig with an unknown option", () => loadConfig({ pth: "a.yaml" } as never), /no option "pth"/],
    ["loadConfig with a path alone", () => loadConfig("a.yaml" as never), /must be an object, not "a.yaml"/],
    ["GatewayClient without options", () => new GatewayClient(undefined as never), /must be an object/],
    ["GatewayClient with a text", () => new GatewayClient("http://127.0.0.1:9" as never), /must be an object/],
    ["GatewayClient without a key", () => new GatewayClient({ ...CLIENT, apiKey: undefined } as never), /apiKey must/],
    [
      "GatewayClient with a number for the address",
      () => new GatewayClient({ ...CLIENT, baseUrl: 9 } as never),
      /baseUrl/,
    ],
    ["GatewayClient without an agent", () => new GatewayClient({ ...CLIENT, agentId: null } as never), /agentId must/],
    [
      "GatewayClient with a text for a number",
      () => new GatewayClient({ ...CLIENT, retries: "3" } as never),
      /retries/,
    ],
    [
      "GatewayClient with null for a number",
      () => new GatewayClient({ ...CLIENT, timeoutMs: null } as never),
      /timeoutMs/,
    ],
    ["GatewayClient with no function", () => new GatewayClient({ ...CLIENT, onRetry: 7 } as never), /onRetry must/],
    ["GatewayClient with no clock", () => new GatewayClient({ ...CLIENT, clock: Date } as never), /clock must/],
    ["GatewayClient with a list for headers", () => new GatewayClient({ ...CLIENT, headers: [] } as never), /headers/],
    [
      "GatewayClient with a slip",
      () => new GatewayClient({ ...CLIENT, timeoutMS: 3 } as never),
      /no option "timeoutMS"/,
    ],
    [
      "GatewayClient with nothing in it",
      () => new GatewayClient({} as never),
      /baseUrl, apiKey, agentId must be given/,
    ],
    [
      "GatewayClient with an unknown header",
      () => new GatewayClient({ ...CLIENT, headers: { tokn: "X" } } as never),
      /headers: there is no option "tokn"/,
    ],
    [
      "GatewayClient with an unknown path",
      () => new GatewayClient({ ...CLIENT, paths: { rates: "/r/{url}" } } as never),
      /paths: there is no option "rates"/,
    ],
  ])("%s", (_name, make, message) => expectMisuse(make, message));
});

it.each(["0.05 USD", { micros: 50_000, currency: "USD" }])("accepts %j where it accepts money", async (maxSpend) => {
  // The configuration has no site: what counts is that the call got so far.
  const config = { ...CONFIG, sites: [], ledger: { path: join(directory, "licet.sqlite") } };
  const idle = createAgent(config, { cwd: directory, env: {} });
  expect(await failureOf(() => idle.run({ maxSpend, maxPages: 3 }))).toMatchObject({ code: "CONFIG_INVALID" });
  await idle.close();
});
