/** One run by a clock of next month, then a person's word that the clock is right again. */
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { openSqliteLedger } from "../../../../src/ledger/sqlite/open.ts";
import { chargesOf, createFetchWorld, type FetchWorld, FIRST, urlOf } from "../fetch/fetch-world.ts";

const DAY_MS = 86_400_000;
const MONTHLY = { budgets: [{ scope: "all", per: "month", limit: "100 USD" }] };
const thisMonth = () => new Date().toISOString().slice(0, 7);
/** Some days of next month. */
const nextMonthMs = () => {
  const now = new Date();
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 4) - now.getTime();
};

async function createWorld(): Promise<FetchWorld> {
  const world = await createFetchWorld(MONTHLY);
  await (await world.openAgentAt(nextMonthMs())).run({ maxPages: 1 });
  return world;
}

it("the statement of this month has what was bought in it, and is not complete", async () => {
  const world = await createWorld();
  const agent = await world.openAgent();
  await expect(agent.run()).rejects.toMatchObject({ code: "CLOCK_BEHIND" });
  expect(await agent.statement({ month: thisMonth() })).toMatchObject({ complete: false });
  await agent.run({ trustClock: true });
  expect(chargesOf(world)).toHaveLength(10);
  const statement = await agent.statement({ month: thisMonth() });
  expect(statement).toMatchObject({ complete: false, lines: [{ total: { pages: 9 } }] });
  // The word was a row: the next run needs none, also when the one with the word bought nothing.
  await agent.run();
  await expect(agent.audit()).resolves.toMatchObject({ ok: true });
});

it("one word is enough, also where its run buys nothing and was begun by the wrong clock", async () => {
  const world = await createWorld();
  const agent = await world.openAgent();
  await agent.fetch([FIRST, urlOf(1)], { trustClock: true });
  await agent.run();
  await agent.run();
  expect(chargesOf(world)).toHaveLength(10);
});

it("no month is closed by a clock that is ahead, until a person says that it is right", async () => {
  const world = await createFetchWorld(MONTHLY);
  await (await world.openAgent()).run();
  const ahead = await world.openAgentAt(400 * DAY_MS);
  const warnings: string[] = [];
  ahead.on("warning", ({ message }) => warnings.push(message));
  expect(await ahead.statement({ month: thisMonth() })).toMatchObject({ complete: false });
  expect(warnings).toEqual([expect.stringMatching(/400 days ahead .* is not called complete/)]);
  expect(await ahead.statement({ month: thisMonth(), trustClock: true })).toMatchObject({ complete: true });
  const database = new Database(world.ledgerFile, { readonly: true });
  expect(database.prepare("SELECT count(*) FROM clock_word").pluck().get()).toBe(1);
  database.close();
});

it("without a gateway, a month that later rows have left behind is complete", async () => {
  const world = await createFetchWorld(MONTHLY);
  await (await world.openAgent()).run({ list: [FIRST] });
  const later = await world.openAgentAt(nextMonthMs());
  world.sandbox.moveClock(nextMonthMs());
  await later.run();
  await world.sandbox.close();
  const agent = await world.openAgentAt(nextMonthMs() + 90 * DAY_MS);
  expect(await agent.statement({ month: thisMonth() })).toMatchObject({ complete: true });
  expect(
    await agent.statement({ month: new Date(Date.now() + nextMonthMs()).toISOString().slice(0, 7) }),
  ).toMatchObject({
    complete: false,
  });
});

it("an empty month that was called complete stays empty, also for a machine whose clock is still in it", async () => {
  const world = await createFetchWorld(MONTHLY);
  const agent = await world.openAgent();
  await (await openSqliteLedger({ path: world.ledgerFile, access: "create" })).close();
  const { month, to } = await agent.statement();
  expect(await agent.statement({ month })).toMatchObject({ complete: true, totals: [] });
  const behind = await world.openAgentAt(Date.parse(to) - DAY_MS - Date.now());
  await behind.run({ maxPages: 1 });
  expect(chargesOf(world)).toHaveLength(1);
  expect(await agent.statement({ month })).toMatchObject({ complete: true, totals: [] });
  expect(await agent.statement({ month: thisMonth() })).toMatchObject({ totals: [{ bought: { pages: 1 } }] });
  await expect(agent.audit()).resolves.toMatchObject({ ok: true });
});
