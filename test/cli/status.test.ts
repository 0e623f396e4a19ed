/** The commands that only read, over one crawled site. */
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KnownWorker } from "../../src/ledger/service-ledger.ts";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { type CliWorld, createCliWorld, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";

const HOSTILE_TITLE = "Head\u001b]0;pwned\u0007line \u202egpj.exe";
let world: CliWorld;
let runId: string;

beforeAll(async () => {
  const pages = [
    { url: "/a", title: HOSTILE_TITLE, markdown: "# A\n\nText." },
    { url: "/b?x=1", title: "B", markdown: "# B" },
    { url: "/citation", title: "C", markdown: "# C", rates: [] },
  ];
  world = await createCliWorld({ sites: [{ kind: "pages", host: "news.example", pages }], rates: ONE_PRICE });
  runId = ((await world.json("run")).value as { runId: string }).runId;
});
afterAll(() => world.close());

describe("status", () => {
  test("shows runs, budgets, spend and uses", async () => {
    expect(await world.json("status")).toMatchObject({
      code: 0,
      value: {
        runs: [{ runId, state: "completed", pagesBought: 2 }],
        spend: { USD: { settledMicros: 2 * PRICE_MICROS } },
        usage: { recorded: 2, reported: 2, pending: 0 },
        inDoubt: [],
        openItems: [],
        pagesStored: 2,
      },
    });
    const { stdout } = await world.cli("status");
    expect(stdout).toMatch(/all per month \(USD\) +0\.02 USD[\s\S]*2 pages stored\.\nSpend: 0\.02 USD spent\n/);
  });

  test("begins with what the UTC day cost, and what the budgets have left", async () => {
    const { stdout } = await world.cli("status");
    expect(stdout).toMatch(
      /^Today, \d{4}-\d\d-\d\d \(UTC\):\n +spent +set aside +in doubt +bought +failed\n +0\.02 USD +0\.00 USD +0\.00 USD +2 +0\n\nBudgets:\n/,
    );
    expect((await world.json("status")).value).toMatchObject({
      today: {
        day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        spend: { USD: { settledMicros: 2 * PRICE_MICROS, reservedMicros: 0, inDoubtMicros: 0, bought: 2, failed: 0 } },
      },
    });
  });

  test("names the workers on other machines, all of them as lost without a service", async () => {
    const worker: KnownWorker = {
      ...{ name: "b.example:300", tokenName: "fleet", version: "1.0.0", state: "attached", places: 16 },
      ...{ share: { concurrency: 4, requestsPerSecond: 7.5 }, jobs: 2, pages: 40, pagesPerSecond: 3.5 },
      ...{ since: Date.UTC(2026, 10, 20), seenAt: Date.UTC(2026, 10, 20, 1) },
    };
    const service = { leaseMs: 15_000, gone: [], known: null, process: "a.example:100:x-1" };
    const ledger = await openSqliteLedger({ path: world.ledgerFile, access: "existing" });
    const now = Date.now();
    const taken = await ledger.takeService({ ...service, now });
    const fence = taken.kind === "taken" ? taken.fence : 0;
    await ledger.renewService({ fence, expiresAt: now + service.leaseMs, url: null, workers: [worker] });
    expect((await world.cli("status")).stdout).toMatch(
      /\nWorkers on other machines:\n +worker.*\n +b\.example:300 +attached +1\.0\.0 +4 of 16, 7\.5\/s +2 +40 +3\.5 +2026-11-20 01:00:00\n/,
    );
    await ledger.releaseService(fence);
    await ledger.close();
    expect((await world.cli("status")).stdout).toMatch(
      /\nWorkers .* \(no service is at work: they wait for the next one\):\n.*\n +b\.example:300 +lost +1\.0\.0 +0 of 16, 0\.0\/s +0 +40 +0\.0 +2026-11-20 01:00:00\n/,
    );
    expect((await world.json("status")).value).toMatchObject({
      service: { isAlive: false },
      workers: [{ name: "b.example:300", state: "lost", jobs: 0, seenAt: "2026-11-20T01:00:00.000Z" }],
    });
  });

  test("shows one run", async () => {
    expect(await world.json("status", runId)).toMatchObject({
      code: 0,
      value: { runId, pages: { bought: 2, denied: 1 } },
    });
    expect((await world.cli("status", runId)).stdout).toContain("is complete");
  });

  test("reports a missing run", async () => {
    expect(await world.json("status", "run_nope")).toMatchObject({
      code: 1,
      value: { error: { code: "RUN_NOT_FOUND" } },
    });
  });
});

describe("explain", () => {
  test("shows rates, verdict, budgets and the ledger's record", async () => {
    const url = "https://news.example/a";
    expect(await world.json("explain", url)).toMatchObject({
      code: 0,
      value: {
        url,
        live: { verdict: { kind: "allowed" }, priceMicros: PRICE_MICROS },
        record: { stored: { indexingOnly: false } },
      },
    });
    expect((await world.cli("explain", url)).stdout).toMatch(
      /Rates now:\n {2}0\.01 USD {2}ON_DEMAND_LICENSE[\s\S]*rule 1: matches[\s\S]*Verdict: allowed by rule 1 for 0\.01 USD[\s\S]*Stored since/,
    );
  });

  test("shows why a page was not bought", async () => {
    expect((await world.cli("explain", "https://news.example/citation")).stdout).toMatch(
      /none: not licensable[\s\S]*Verdict: denied \(not_licensable\)[\s\S]*Denials:/,
    );
  });

  test.each([
    ["not a url", "PAGE_URL_INVALID"],
    ["https://other.example/a", "USAGE_INVALID"],
  ])("of %s is bad usage", async (url, code) => {
    expect(await world.json("explain", url)).toMatchObject({ code: 2, value: { error: { code } } });
  });
});

test("history is empty without deliveries", async () => {
  expect(await world.json("history", "--days-ago", "3")).toMatchObject({ code: 0, value: { records: [] } });
  expect(await world.cli("history")).toMatchObject({ code: 0, stdout: "The gateway has no delivery records.\n" });
});

test("no control character of a page's title reaches the terminal", async () => {
  for (const args of [
    ["status"],
    ["explain", "https://news.example/a"],
    ["explain", "https://news.example/a", "--json"],
  ]) {
    const { stdout, stderr } = await world.cli(...args);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
  }
});

test("prune says what would be deleted, deletes it, and the audit stays clean", async () => {
  const going = { denials: 1, runs: 0, examples: 0, slots: 0, hints: 0, alerts: 0 };
  expect(await world.json("prune", "--dry-run")).toMatchObject({ code: 0, value: { dryRun: true, denials: 0 } });
  expect(await world.json("prune", "--dry-run", "--older-than", "0d")).toMatchObject({ code: 0, value: going });
  expect(await world.cli("prune", "--older-than", "0d")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Deleted what ended before .*: 1 denial, 0 runs that bought nothing, 0 examples/),
  });
  expect(await world.json("status", runId)).toMatchObject({ value: { pages: { denied: 1 } } });
});

describe("audit", () => {
  test("finds every promise kept in a correct ledger", async () => {
    expect(await world.json("audit")).toMatchObject({
      code: 0,
      value: { ok: true, violations: [], totals: { documents: 2 } },
    });
    expect((await world.cli("audit")).stdout).toContain("Every promise is kept.");
  });

  test("names the violation and exits with 1 when a row was changed directly", async () => {
    const database = new Database(world.ledgerFile);
    database.prepare("UPDATE purchase SET charged_micros = charged_micros + 1 WHERE id = 1").run();
    database.close();
    const { code, value } = await world.json("audit");
    expect(code).toBe(1);
    expect(value).toMatchObject({ ok: false });
    expect((value as { violations: unknown[] }).violations).toContainEqual({
      promise: 3,
      detail: expect.stringContaining(
        "purchase 1 was charged 10001 micros USD, was quoted 10000 USD, and is not flagged",
      ),
    });
    expect(await world.cli("audit")).toMatchObject({ code: 1, stdout: expect.stringMatching(/^\d+ violated:\n/) });
  });
});
