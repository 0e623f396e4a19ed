/** Fetches where something goes wrong: the gateway, the clock, the process, the rights. */
import { describe, expect, it } from "vitest";
import { compareAccounts } from "../../../doubles/compare-accounts.ts";
import { readPurchases } from "../../../doubles/crawl-world.ts";
import { chargesOf, createFetchWorld, FIRST, lockAfterStart, outcomesOf, urlOf } from "./fetch-world.ts";

const DAY_MS = 86_400_000;

describe("agent.fetch, when the rights to what is held have ended", () => {
  it.each(["keep", "purge", "relicense"])("buys the page again, also under onExpiry: %s", async (onExpiry) => {
    const world = await createFetchWorld({
      policies: { standard: { retention: "7d", onExpiry, rules: [{ allow: {} }] } },
    });
    await (await world.openAgent()).fetch([FIRST]);
    const before = await world.openAgentAt(7 * DAY_MS - 60_000);
    expect(outcomesOf(await before.fetch([FIRST]))).toEqual(["stored"]);
    world.sandbox.moveClock(7 * DAY_MS);
    const after = await world.openAgentAt(7 * DAY_MS);
    expect(outcomesOf(await after.fetch([FIRST], { storedOnly: true }))).toEqual(["not_stored rights_ended"]);
    expect(outcomesOf(await after.fetch([FIRST]))).toEqual(["bought"]);
    expect(outcomesOf(await after.fetch([FIRST]))).toEqual(["stored"]);
    expect(chargesOf(world)).toEqual([FIRST, FIRST]);
  });
});

describe("agent.fetch, when the rights last shorter than a day", () => {
  it("buys the page as often as somebody asks after their end, and no run buys it", async () => {
    const world = await createFetchWorld({
      policies: { standard: { retention: "1h", onExpiry: "relicense", rules: [{ allow: {} }] } },
    });
    const at = async (hours: number) => (await world.openAgentAt(hours * 3_600_000)).fetch([FIRST]);
    for (const hours of [0, 2, 4, 6]) {
      expect(outcomesOf(await at(hours))).toEqual(["bought"]);
      world.sandbox.moveClock(2 * 3_600_000);
    }
    await (await world.openAgentAt(8 * 3_600_000)).run();
    expect(chargesOf(world).filter((url) => url === FIRST)).toHaveLength(4);
  });
});

describe("agent.fetch, when the gateway fails", () => {
  it("answers what is held, and says what failed for the rest", async () => {
    const world = await createFetchWorld();
    await (await world.openAgent()).fetch([FIRST]);
    await world.sandbox.close();
    const agent = await world.openAgent();
    const report = await agent.fetch([FIRST, urlOf(1)]);
    expect(outcomesOf(report)).toEqual(["stored", "failed GATEWAY_UNREACHABLE"]);
    expect(report.results[1]).toMatchObject({ detail: expect.stringMatching(/\S/), hint: expect.stringMatching(/\S/) });
    expect(await agent.runDetails(report.runIds[0] ?? "")).toMatchObject({ run: { state: "failed" } });
  });

  it("says that a page is in doubt, with the purchase that a person has to resolve, and does not buy it again", async () => {
    const world = await createFetchWorld();
    world.sandbox.setFaults({ "content:reset-after-charge": 1 });
    const agent = await world.openAgent();
    const doubtful = await agent.fetch([FIRST]);
    expect(outcomesOf(doubtful)).toEqual(["in_doubt token_spent"]);
    expect(doubtful.spend.USD).toMatchObject({ settledMicros: 0, inDoubtMicros: 10_000 });
    world.sandbox.setFaults({});
    const again = await agent.fetch([FIRST]);
    expect(again.results).toMatchObject([{ outcome: "in_doubt", reason: "in_doubt", purchaseId: 1 }]);
    await agent.resolve(1, false);
    expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["bought"]);
  });

  it("settles a purchase whose answer was lost before the charge", async () => {
    const world = await createFetchWorld({ gateway: { timeoutMs: 300 } });
    world.sandbox.setFaults({ "content:reset-before": 0.5 });
    const agent = await world.openAgent();
    expect(new Set(outcomesOf(await agent.fetch([0, 1, 2].map(urlOf))))).toEqual(new Set(["bought"]));
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });

  it("says that a site is stopped after an overcharge, and gives the page that was paid for", async () => {
    const world = await createFetchWorld();
    world.sandbox.setFaults({ "over-charge": 1 });
    const agent = await world.openAgent();
    expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["bought"]);
    world.sandbox.setFaults({});
    expect(outcomesOf(await agent.fetch([FIRST, urlOf(1)]))).toEqual(["stored", "failed overcharged"]);
  });
});

describe("agent.fetch, when its process or its clock fails", () => {
  it("buys nothing while the clock is behind the ledger, unless a person trusts it", async () => {
    const world = await createFetchWorld({ budgets: [{ scope: "all", per: "day", limit: "1 USD" }] });
    await (await world.openAgentAt(3 * DAY_MS)).fetch([FIRST]);
    const agent = await world.openAgent();
    expect(outcomesOf(await agent.fetch([FIRST, urlOf(1)]))).toEqual(["stored", "failed CLOCK_BEHIND"]);
    expect(outcomesOf(await agent.fetch([urlOf(1)], { trustClock: true }))).toEqual(["bought"]);
  });

  it("buys nothing more after its signal, and holds nothing", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    const stop = new AbortController();
    agent.on("gateway.request", ({ call }) => call === "rate_batch" && stop.abort());
    const report = await agent.fetch([FIRST], { signal: stop.signal });
    expect(outcomesOf(report)).toEqual(["failed INTERRUPTED"]);
    expect(report.interrupted).toBe(true);
    expect(readPurchases(world.ledgerFile).filter(({ state }) => state !== "released")).toEqual([]);
    expect((await agent.status()).unfinished).toEqual([]);
    expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["bought"]);
  });

  it("finishes what was started when the signal comes in the middle of a purchase", async () => {
    const world = await createFetchWorld();
    world.sandbox.setLatency(50);
    const agent = await world.openAgent();
    const stop = new AbortController();
    agent.on("gateway.request", ({ call }) => call === "content_token" && setTimeout(() => stop.abort(), 20));
    const report = await agent.fetch([FIRST], { signal: stop.signal });
    const isBought = outcomesOf(report)[0] === "bought";
    expect(chargesOf(world)).toEqual(isBought ? [FIRST] : []);
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});

describe("agent.fetch, when the ledger fails after a purchase", () => {
  it("answers what was bought when its run cannot be ended, and says who ends it", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgentOver((ledger) => lockAfterStart(ledger, ["endRun"]));
    const report = await agent.fetch([FIRST], { maxSpend: "0.05 USD" });
    expect(outcomesOf(report)).toEqual(["bought"]);
    expect(report.spend).toEqual({
      USD: { settledMicros: 10_000, feeMicros: 0, inDoubtMicros: 0, useReserveMicros: 0 },
    });
    expect(report.warnings).toEqual([expect.stringMatching(/could not be ended, and the next fetch ends it/)]);
  });

  it("counts all that a call might have bought when nobody can say what it has bought", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgentOver((ledger) => lockAfterStart(ledger, ["endRun", "readFetched"]));
    const report = await agent.fetch([FIRST], { maxSpend: "0.05 USD" });
    expect(outcomesOf(report)).toEqual(["failed LEDGER_LOCKED"]);
    expect(report.spend.USD?.inDoubtMicros).toBe(50_000);
    expect(report.warnings.join()).toMatch(/cannot be read, so all that it might have bought counts/);
    expect(chargesOf(world)).toEqual([FIRST]);
    expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["stored"]);
  });
});

describe("agent.fetch, of a page whose text a person took out", () => {
  it("begins one run at most, and says that the rights ended", async () => {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    await agent.fetch([FIRST]);
    await agent.purge({ urls: [FIRST], reason: "asked by the publisher" });
    const report = await agent.fetch([FIRST]);
    expect(outcomesOf(report)).toEqual(["denied rights_ended"]);
    expect(report.runIds).toHaveLength(1);
    expect(chargesOf(world)).toEqual([FIRST]);
  });
});
