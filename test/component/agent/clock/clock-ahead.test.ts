/** A clock that is ahead, or that differs from the gateway's, does nothing that cannot be undone without a person's word. */
import Database from "better-sqlite3";
import { expect, it, test } from "vitest";
import type { Agent } from "../../../../src/agent/agent.ts";
import { chargesOf, createFetchWorld, type FetchWorld, FIRST, outcomesOf } from "../fetch/fetch-world.ts";

const DAY_MS = 86_400_000;
const YEAR_AHEAD_MS = 400 * DAY_MS;
const PAGES = 10;

const endingIn = (onExpiry: string) => ({
  policies: { standard: { onExpiry, retention: "300d", rules: [{ allow: {} }] } },
});
const UNSURE = expect.objectContaining({ code: "CLOCK_UNSURE" });
const AWAY = expect.objectContaining({
  code: "CLOCK_UNSURE",
  message: expect.stringMatching(
    /^the clock of this machine \(\S+\) is 400 days ahead of the gateway's Date \(\S+\): /,
  ),
  details: expect.objectContaining({ comparedWith: "gateway" }),
});

function read<Row>({ ledgerFile }: FetchWorld, sql: string): Row[] {
  const database = new Database(ledgerFile, { readonly: true });
  try {
    return database.prepare<[], Row>(sql).all();
  } finally {
    database.close();
  }
}

const wordsIn = (world: FetchWorld) =>
  read<{ at: number; gatewayAt: number }>(world, "SELECT at, gateway_at AS gatewayAt FROM clock_word");
const storedIn = (world: FetchWorld) => read(world, "SELECT 1 FROM content WHERE purged_at IS NULL").length;

async function warningsOf(agent: Agent, work: () => Promise<unknown>): Promise<string[]> {
  const warnings: string[] = [];
  agent.on("warning", ({ message }) => warnings.push(message));
  await work();
  return warnings;
}

async function bought(onExpiry: string): Promise<FetchWorld> {
  const world = await createFetchWorld(endingIn(onExpiry));
  await (await world.openAgent()).run();
  expect(storedIn(world)).toBe(PAGES);
  return world;
}

it("removes no text, until a person says that the clock is right: that is a row", async () => {
  const world = await bought("purge");
  const ahead = await world.openAgentAt(YEAR_AHEAD_MS);
  await expect(ahead.purge()).rejects.toEqual(AWAY);
  await expect(ahead.prune()).rejects.toEqual(AWAY);
  expect(storedIn(world)).toBe(PAGES);
  expect(wordsIn(world)).toEqual([]);
  expect(await ahead.purge({ dryRun: true })).toMatchObject({ versions: PAGES });
  expect(await ahead.purge({ trustClock: true })).toMatchObject({ versions: PAGES });
  expect(storedIn(world)).toBe(0);
  const [word, ...more] = wordsIn(world);
  expect(more).toEqual([]);
  expect(Math.round(((word?.at ?? 0) - (word?.gatewayAt ?? 0)) / DAY_MS)).toBe(400);
  // The same difference needs no second word.
  expect(await ahead.prune()).toMatchObject({ dryRun: false });
});

it("removes what a person names, whatever the clock says", async () => {
  const world = await bought("purge");
  const ahead = await world.openAgentAt(YEAR_AHEAD_MS);
  expect(await ahead.purge({ urls: [FIRST], reason: "a letter" })).toMatchObject({ versions: 1 });
});

it("removes what ended when the gateway's clock says the same, however long the ledger was not used", async () => {
  const world = await bought("purge");
  world.sandbox.moveClock(YEAR_AHEAD_MS);
  expect(await (await world.openAgentAt(YEAR_AHEAD_MS)).purge()).toMatchObject({ versions: PAGES });
  expect(wordsIn(world)).toEqual([]);
});

it("without a gateway the rows of the ledger count: a day ahead of them is not enough", async () => {
  const world = await bought("purge");
  await world.sandbox.close();
  await expect((await world.openAgentAt(2 * DAY_MS)).purge()).rejects.toMatchObject({
    code: "CLOCK_UNSURE",
    message: expect.stringMatching(
      /2 days ahead of the newest rows of the ledger \(\S+\), and the gateway's Date is not known/,
    ),
    details: { comparedWith: "rows" },
  });
  expect(await (await world.openAgentAt(DAY_MS / 2)).purge()).toMatchObject({ versions: 0 });
  expect(await (await world.openAgentAt(YEAR_AHEAD_MS)).purge({ trustClock: true })).toMatchObject({ versions: PAGES });
});

it("a cursor passes no document whose rights ended by it", async () => {
  const world = await bought("purge");
  const ahead = await world.openAgentAt(YEAR_AHEAD_MS);
  const range = await ahead.documentRange({ cursor: "lake", target: "lake" });
  await expect(async () => {
    for await (const _ of range?.documents() ?? []) {
      throw new Error("a document came");
    }
  }).rejects.toEqual(AWAY);
  await range?.close();
  await expect(async () => {
    for await (const document of ahead.documents({ cursor: "store" })) {
      await document.ack();
    }
  }).rejects.toEqual(AWAY);
  let given = 0;
  for await (const document of (await world.openAgent()).documents({ cursor: "store" })) {
    given += 1;
    await document.ack();
  }
  expect(given).toBe(PAGES);
});

it("a run renews no rights, says so, and buys what is new", async () => {
  const world = await bought("relicense");
  const ahead = await world.openAgentAt(YEAR_AHEAD_MS);
  const warnings = await warningsOf(ahead, () => ahead.run());
  expect(chargesOf(world)).toHaveLength(PAGES);
  expect(warnings).toEqual([
    expect.stringMatching(
      /400 days ahead of the gateway's Date .* no page is bought again because of its age or because its rights ended/,
    ),
  ]);
  await (await world.openAgentAt(YEAR_AHEAD_MS)).run({ trustClock: true });
  expect(chargesOf(world)).toHaveLength(2 * PAGES);
});

it("a run buys no page again because of its age, also from a list", async () => {
  const world = await createFetchWorld({
    sites: [{ host: new URL(FIRST).host, policy: "standard", refresh: { maxAge: "30d" } }],
  });
  await (await world.openAgent()).run();
  const ahead = await world.openAgentAt(YEAR_AHEAD_MS);
  await ahead.run();
  await ahead.run({ list: [FIRST] });
  expect(chargesOf(world)).toHaveLength(PAGES);
  world.sandbox.moveClock(YEAR_AHEAD_MS);
  await (await world.openAgentAt(YEAR_AHEAD_MS)).run({ list: [FIRST] });
  expect(chargesOf(world)).toHaveLength(PAGES + 1);
});

it("a plan names no page because of its age, as a run buys none, and says so", async () => {
  const world = await createFetchWorld({
    sites: [{ host: new URL(FIRST).host, policy: "standard", refresh: { maxAge: "30d" } }],
  });
  await (await world.openAgent()).run();
  const { pages, warnings } = await (await world.openAgentAt(YEAR_AHEAD_MS)).plan();
  expect(pages).toMatchObject({ approved: 0, unchanged: PAGES });
  expect(warnings).toContainEqual(expect.stringContaining("no page is bought again because of its age"));
  world.sandbox.moveClock(YEAR_AHEAD_MS);
  expect((await (await world.openAgentAt(YEAR_AHEAD_MS)).plan()).pages).toMatchObject({ approved: PAGES });
});

it("a fetch does not buy again what ended by it", async () => {
  const world = await bought("keep");
  const ahead = await world.openAgentAt(YEAR_AHEAD_MS);
  expect(outcomesOf(await ahead.fetch([FIRST]))).toEqual(["failed CLOCK_UNSURE"]);
  expect(outcomesOf(await ahead.fetch([FIRST], { trustClock: true }))).toEqual(["bought"]);
  expect(chargesOf(world)).toHaveLength(PAGES + 1);
});

test.each([
  ["a minute and a half", 90_000, 1],
  ["ten seconds", 10_000, 0],
])("of %s: a run warns and changes nothing else", async (_length, aheadMs, count) => {
  const world = await createFetchWorld();
  const agent = await world.openAgentAt(aheadMs);
  const warnings = await warningsOf(agent, () => agent.run());
  expect(warnings).toHaveLength(count);
  expect(warnings.join()).toMatch(count === 0 ? /^$/ : /is 1 minute ahead of the gateway's Date/);
  expect(chargesOf(world)).toHaveLength(PAGES);
});

it("a clock behind the gateway's by hours purges nothing either", async () => {
  const world = await bought("purge");
  world.sandbox.moveClock(3 * 3_600_000);
  await expect((await world.openAgent()).purge()).rejects.toEqual(UNSURE);
});
