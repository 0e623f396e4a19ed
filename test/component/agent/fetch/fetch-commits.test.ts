/** Somebody waits for a fetch, and each of its commits is a wait for the disk. */
import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { watchConnections } from "../../../../bench/work-counter.mjs";
import { createFetchWorld, FIRST, outcomesOf, urlOf } from "./fetch-world.ts";

/** The run begins, with its lines and the lease of their quotes · the decision, with the lease of the purchase · the start · the settlement, with all ends. */
const COMMITS = 4;

it("a page that is bought takes four commits, and one that is held takes none", async () => {
  const watch = watchConnections(Database);
  try {
    const world = await createFetchWorld();
    const agent = await world.openAgent();
    // The first one also makes the ledger.
    await agent.fetch([urlOf(1)]);
    watch.begin();
    expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["bought"]);
    expect(watch.read().commits).toBe(COMMITS);
    expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["stored"]);
    expect(watch.read().commits).toBe(COMMITS);
  } finally {
    watch.end();
  }
});
