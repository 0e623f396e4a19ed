/** Since when stored content shows the changes of its page: since the request was sent that it answers, however often it was asked for before. */
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { createFetchWorld, dieWhileBuying, type FetchWorld, FIRST, outcomesOf } from "./fetch-world.ts";

interface Instants {
  readonly startedAt: number;
  readonly askedAt: number;
  readonly endedAt: number;
}

function readInstants({ ledgerFile }: FetchWorld): Instants {
  const database = new Database(ledgerFile, { readonly: true });
  try {
    const sql = "SELECT started_at AS startedAt, asked_at AS askedAt, ended_at AS endedAt FROM purchase";
    return database.prepare<[], Instants>(sql).get() as Instants;
  } finally {
    database.close();
  }
}

it("of a purchase that a killed fetch left: since its probe, so an update before the probe buys it no second time", async () => {
  const world = await createFetchWorld();
  await dieWhileBuying(world, FIRST);
  expect(outcomesOf(await (await world.openAgentAt(120_000)).fetch([FIRST]))).toEqual(["stored"]);
  const { startedAt, askedAt, endedAt } = readInstants(world);
  expect(askedAt - startedAt).toBeGreaterThanOrEqual(119_000);
  expect(askedAt).toBeLessThanOrEqual(endedAt);
  expect(endedAt - askedAt).toBeLessThan(60_000);
});

it("of a request that had its answer at once: since it was sent", async () => {
  const world = await createFetchWorld();
  await (await world.openAgent()).fetch([FIRST]);
  const { startedAt, askedAt, endedAt } = readInstants(world);
  expect(askedAt).toBeGreaterThanOrEqual(startedAt - 1);
  expect(askedAt).toBeLessThanOrEqual(endedAt);
});

it.each([-20, 400])(
  "by the gateway's clock, where ours is %i days away: a catalog's date is compared with it",
  async (days) => {
    const world = await createFetchWorld();
    const began = Date.now();
    await (await world.openAgentAt(days * 86_400_000)).fetch([FIRST]);
    const { askedAt } = readInstants(world);
    // The gateway's Date has no fraction of a second.
    expect(askedAt).toBeGreaterThan(began - 2_000);
    expect(askedAt).toBeLessThan(Date.now() + 2_000);
  },
);
