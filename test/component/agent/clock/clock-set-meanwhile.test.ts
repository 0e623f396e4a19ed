/** A clock that is set while the gateway is asked for its `Date`, or right after it was judged: only the judged instant counts. */
import { expect, it } from "vitest";
import type { Agent } from "../../../../src/agent/agent.ts";
import { systemClock } from "../../../../src/time/clock.ts";
import { chargesOf, createFetchWorld, type FetchWorld, FIRST, outcomesOf } from "../fetch/fetch-world.ts";

const YEAR_AHEAD_MS = 400 * 86_400_000;
const PAGES = 10;

async function bought(onExpiry: string): Promise<FetchWorld> {
  const world = await createFetchWorld({
    policies: { standard: { onExpiry, retention: "300d", rules: [{ allow: {} }] } },
  });
  await (await world.openAgent()).run();
  return world;
}

/** Its clock is a year ahead until the gateway is asked for its `Date`. */
async function openSetRight(world: FetchWorld): Promise<Agent> {
  let aheadMs = YEAR_AHEAD_MS;
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const agent = await world.openAgentOn(() => ({ clock }));
  agent.on("gateway.request", ({ call }) => {
    aheadMs = call === "date" ? 0 : aheadMs;
  });
  return agent;
}

/** Its clock is a year ahead from the instant on that was judged. */
async function openSetWrong(world: FetchWorld): Promise<Agent> {
  let rightInstants = Number.POSITIVE_INFINITY;
  const now = () => {
    rightInstants -= 1;
    return systemClock.now() + (rightInstants < 0 ? YEAR_AHEAD_MS : 0);
  };
  return world.openAgentOn(({ ledger: open }) => ({
    clock: { ...systemClock, now },
    ledger: async (access) => {
      const ledger = await open(access);
      const readClockEvidence: typeof ledger.readClockEvidence = async () => {
        const evidence = await ledger.readClockEvidence();
        // The next one is judged.
        rightInstants = 1;
        return evidence;
      };
      return { ...ledger, readClockEvidence };
    },
  }));
}

it("set right: the statement of a month that goes on is not complete", async () => {
  const world = await bought("keep");
  const month = new Date().toISOString().slice(0, 7);
  expect(await (await openSetRight(world)).statement({ month })).toMatchObject({ complete: false });
});

it("set right: a cursor gives what had ended by the clock before", async () => {
  const world = await bought("purge");
  const range = await (await openSetRight(world)).documentRange({ cursor: "lake", target: "lake" });
  let given = 0;
  for await (const _ of range?.documents() ?? []) {
    given += 1;
  }
  await range?.close();
  expect(given).toBe(PAGES);
});

it("set right: a fetch does not buy again what had ended by the clock before", async () => {
  const world = await bought("keep");
  expect(outcomesOf(await (await openSetRight(world)).fetch([FIRST]))).toEqual(["stored"]);
  expect(chargesOf(world)).toHaveLength(PAGES);
});

it("set wrong: a purge removes nothing, and a prune nothing of this year", async () => {
  const world = await bought("purge");
  expect(await (await openSetWrong(world)).purge()).toMatchObject({ versions: 0 });
  const { before } = await (await openSetWrong(world)).prune();
  expect(Date.parse(before)).toBeLessThan(Date.now());
});
