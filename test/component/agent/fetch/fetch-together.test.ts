/** Many who want the same pages at once: calls of one process, processes, runs, and processes that died. */
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { FetchReport } from "../../../../src/agent/fetch/fetch-report.ts";
import { LicetError } from "../../../../src/errors.ts";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { readPurchases } from "../../../doubles/crawl-world.ts";
import {
  type BUDGETS,
  chargesOf,
  createFetchWorld,
  dieWhileBuying,
  FIRST,
  outcomesOf,
  UNDER_BOTH,
  urlOf,
} from "./fetch-world.ts";

describe("the same page, wanted by many at once, is bought once", () => {
  it("by calls of one agent: the others wait, and ask the gateway nothing", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    const reports = await Promise.all(Array.from({ length: 20 }, (_, call) => agent.fetch([FIRST, urlOf(call % 3)])));
    expect(new Set(reports.flatMap(outcomesOf))).toEqual(new Set(["bought", "stored"]));
    expect(chargesOf(world).sort()).toEqual([0, 1, 2].map(urlOf));
    expect(world.requests.filter((call) => call === "rate_batch")).toHaveLength(3);
  });

  it("by calls whose pages overlap crosswise: none waits for ever", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    const [a, b] = await Promise.all([agent.fetch([FIRST, urlOf(1)]), agent.fetch([urlOf(2), urlOf(1), FIRST])]);
    expect([...outcomesOf(a), ...outcomesOf(b)].sort()).toEqual(["bought", "bought", "bought", "stored", "stored"]);
  });

  it("by agents of several processes", async () => {
    const world = await createFetchWorld();
    world.sandbox.setLatency(20);
    const agents = await Promise.all([1, 2, 3, 4].map(() => world.openAgent()));
    const reports = await Promise.all(agents.map((agent) => agent.fetch([FIRST, urlOf(1)])));
    expect(new Set(reports.flatMap(outcomesOf))).toEqual(new Set(["bought", "stored"]));
    expect(chargesOf(world).sort()).toEqual([FIRST, urlOf(1)]);
  });

  it("by a run of its site, beside which a fetch works", async () => {
    const world = await createFetchWorld();
    world.sandbox.setLatency(10);
    const [runner, fetcher] = [await world.openAgent(), await world.openAgent()];
    const started = new Promise((resolve) => runner.on("run.started", resolve));
    const run = runner.run();
    await started;
    const reports = [await fetcher.fetch([FIRST, urlOf(9)]), await fetcher.fetch([urlOf(5)])];
    expect((await run).state).toBe("completed");
    expect(reports.flatMap(outcomesOf).every((outcome) => ["bought", "stored"].includes(outcome))).toBe(true);
    expect(chargesOf(world)).toHaveLength(10);
    expect(compareAccounts(world.sandbox, world.ledgerFile, { extraCharges: new Map() })).toEqual([]);
  });

  it("with a cap of its own: what another call may not pay, this one may", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    const [poor, rich] = await Promise.all([
      agent.fetch([FIRST], { maxPrice: "0.001 USD" }),
      agent.fetch([FIRST], { maxPrice: "1 USD" }),
    ]);
    expect(outcomesOf(rich)).toEqual(["bought"]);
    expect(outcomesOf(poor)).toEqual(["denied max_price"]);
  });
});

describe("a budget with the scope run", () => {
  const RUN_BUDGETS: typeof BUDGETS = [
    { scope: "all", per: "month", limit: "1 USD" },
    { scope: "run", limit: "0.02 USD" },
  ];

  it("holds for a whole call of fetch, also when others have some of its pages at first", async () => {
    const world = await createFetchWorld({ budgets: RUN_BUDGETS });
    const agent = await world.openAgent();
    // They buy nothing: none of them may pay so much. Each of them has some of the pages for a while.
    world.sandbox.setLatency(20);
    const others = [2, 4, 6].map((number) =>
      agent.fetch([urlOf(number), urlOf(number + 1)], { maxPrice: "0.001 USD" }),
    );
    const report = await agent.fetch([0, 1, 2, 3, 4, 5, 6, 7].map(urlOf));
    await Promise.all(others);
    expect(report.runIds).toHaveLength(1);
    expect(outcomesOf(report).filter((outcome) => outcome === "bought")).toHaveLength(2);
    expect(chargesOf(world)).toHaveLength(2);
  });

  it("holds beside processes that want the same pages", async () => {
    const world = await createFetchWorld({ budgets: RUN_BUDGETS });
    world.sandbox.setLatency(5);
    const pages = [0, 1, 2, 3, 4, 5].map(urlOf);
    const agents = await Promise.all([1, 2].map(() => world.openAgent()));
    const reports = await Promise.all(agents.map((agent) => agent.fetch(pages)));
    for (const report of reports) {
      expect(report.spend.USD?.settledMicros ?? 0).toBeLessThanOrEqual(20_000);
      expect(report.runIds.length).toBeLessThanOrEqual(1);
    }
  });
});

describe("a page under http and https, wanted by two processes at one instant, is bought once", () => {
  const underHttp = FIRST.replace("https:", "http:");

  it("where the other has stored it when this one decides", async () => {
    const world = await createFetchWorld({}, {}, UNDER_BOTH);
    const other = await world.openAgent();
    const agent = await world.openAgentOver((ledger) => ({
      beginFetch: async (fetch) => {
        await other.fetch([FIRST]);
        return ledger.beginFetch(fetch);
      },
    }));
    const report = await agent.fetch([underHttp]);
    expect(outcomesOf(report)).toEqual(["stored"]);
    expect(report.results[0]?.document).toMatchObject({ url: FIRST });
    expect(chargesOf(world)).toEqual([FIRST]);
  });

  it("but is bought under the other where a person took out what was stored just before", async () => {
    const world = await createFetchWorld({}, {}, UNDER_BOTH);
    const agent = await world.openAgent();
    await agent.fetch([FIRST]);
    await agent.purge({ urls: [FIRST], reason: "asked by the publisher" });
    expect(outcomesOf(await agent.fetch([underHttp]))).toEqual(["bought"]);
  });

  it("where the other is buying it when this one decides", async () => {
    const world = await createFetchWorld({}, {}, UNDER_BOTH);
    const [isBuying, mayBuy] = [createSignal(), createSignal()];
    const other = await world.openAgentOver((ledger) => ({
      startPurchase: async (start) => {
        isBuying.give();
        await mayBuy.given;
        return ledger.startPurchase(start);
      },
    }));
    let others: Promise<FetchReport> | null = null;
    const agent = await world.openAgentOver((ledger) => ({
      decide: async (request) => {
        others ??= other.fetch([FIRST]);
        await isBuying.given;
        return ledger.decide(request).finally(mayBuy.give);
      },
    }));
    expect(outcomesOf(await agent.fetch([underHttp]))).toEqual(["stored"]);
    expect(outcomesOf(await (others as unknown as Promise<FetchReport>))).toEqual(["bought"]);
    expect(chargesOf(world)).toEqual([FIRST]);
  });
});

describe("what a dead process has left", () => {
  it("of a fetch is finished by the next fetch of the page: its purchase is probed with its own token", async () => {
    const world = await createFetchWorld();
    await dieWhileBuying(world, FIRST);
    const report = await (await world.openAgentAt(120_000)).fetch([FIRST]);
    expect(outcomesOf(report)).toEqual(["stored"]);
    expect(report.warnings.join()).toMatch(/ended unexpectedly/);
    expect(chargesOf(world)).toEqual([FIRST]);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("of a fetch is taken over by the next run", async () => {
    const world = await createFetchWorld();
    await dieWhileBuying(world, FIRST);
    const run = await (await world.openAgentAt(120_000)).run();
    expect(run.takenOver).toMatchObject([{ probed: 1, inDoubt: 0 }]);
    expect(chargesOf(world)).toHaveLength(10);
    expect(readPurchases(world.ledgerFile).every(({ state }) => state === "settled")).toBe(true);
  });

  it("of a fetch is finished by the next fetch that buys, whatever page it wants", async () => {
    const world = await createFetchWorld();
    await dieWhileBuying(world, FIRST);
    const agent = await world.openAgentAt(120_000);
    expect(outcomesOf(await agent.fetch([urlOf(1)]))).toEqual(["bought"]);
    expect((await agent.status()).unfinished).toEqual([]);
    expect(readPurchases(world.ledgerFile).map(({ state }) => state)).toEqual(["settled", "settled"]);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("of a fetch that failed after it had sent a request is finished by the next fetch that buys", async () => {
    const world = await createFetchWorld();
    const locked = async (): Promise<never> => {
      throw new LicetError("LEDGER_LOCKED", "another process has the ledger", { details: { path: "ledger" } });
    };
    const failing = await world.openAgentOver(() => ({ holdInDoubt: locked }));
    world.sandbox.setFaults({ "content:reset-after-charge": 1 });
    expect(outcomesOf(await failing.fetch([FIRST]))).toEqual(["failed started"]);
    world.sandbox.setFaults({});
    expect(readPurchases(world.ledgerFile)).toMatchObject([{ state: "started" }]);
    const agent = await world.openAgent();
    expect(outcomesOf(await agent.fetch([urlOf(1)]))).toEqual(["bought"]);
    expect(readPurchases(world.ledgerFile)).toMatchObject([{ state: "in_doubt" }, { state: "settled" }]);
    expect((await agent.status()).unfinished).toEqual([]);
  });

  it("of a fetch that failed before its request went out is bought with its own token, and holds no money afterwards", async () => {
    const world = await createFetchWorld({ budgets: [{ scope: "all", per: "month", limit: "0.03 USD" }] });
    const failing = await world.openAgentOver((ledger) => ({
      startPurchase: async (start) => {
        await ledger.startPurchase(start);
        throw new LicetError("LEDGER_CORRUPT", "the ledger cannot be read", { details: { path: "ledger" } });
      },
    }));
    const failed = await failing.fetch([FIRST]);
    expect(outcomesOf(failed)).toEqual(["failed started"]);
    const locked = async (): Promise<never> => {
      throw new LicetError("LEDGER_LOCKED", "another process has the ledger", { details: { path: "ledger" } });
    };
    // What keeps it from being finished keeps nobody from buying something else, and nobody waits for it.
    const hindered = await (await world.openAgentOver(() => ({ freeRun: locked }))).fetch([FIRST, urlOf(1)]);
    expect(outcomesOf(hindered)).toEqual(["failed already_open", "bought"]);
    expect(hindered.warnings.join()).toMatch(/could not be finished: another process has the ledger/);

    const agent = await world.openAgent();
    const report = await agent.fetch([urlOf(2)]);
    expect(outcomesOf(report)).toEqual(["bought"]);
    expect(report.warnings).toEqual([
      `fetch ${failed.runIds[0]} had failed: 0 reserved pages are released, 1 started pages are probed`,
    ]);
    expect((await agent.status()).budgets[0]?.balance).toMatchObject({ settledMicros: 30_000, reservedMicros: 0 });
    expect(chargesOf(world)).toEqual([urlOf(1), FIRST, urlOf(2)]);
    expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["stored"]);
    expect(endOfRun(world.ledgerFile, failed.runIds[0] ?? "")).toEqual({ state: "cancelled", endedBy: "itself" });
  });
});

function endOfRun(ledgerFile: string, runId: string): unknown {
  const db = new Database(ledgerFile, { readonly: true });
  try {
    return db.prepare("SELECT state, ended_by AS endedBy FROM run WHERE name = ?").get(runId);
  } finally {
    db.close();
  }
}

function createSignal() {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}
