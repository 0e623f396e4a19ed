import { expect, test } from "vitest";
import type { Agent } from "../../../src/agent/agent.ts";
import { createCurrentAgent } from "../../../src/cli/current-agent.ts";
import type { Config } from "../../../src/config/config.ts";

interface FakeAgent {
  readonly number: number;
  isClosed: boolean;
}

function createFakes() {
  let policy = "a";
  const opened: FakeAgent[] = [];
  const load = async () => ({ policies: new Map([["standard", policy]]) }) as unknown as Config;
  const open = () => {
    const agent: FakeAgent & { close(): Promise<void> } = {
      number: opened.length,
      isClosed: false,
      close: async () => {
        agent.isClosed = true;
      },
    };
    opened.push(agent);
    return agent as unknown as Agent;
  };
  const change = (to: string) => {
    policy = to;
  };
  return { load, open, opened, change };
}

const numberOf = async (agent: unknown) => (agent as FakeAgent).number;

test("an agent is opened again when its configuration has changed, and only then", async () => {
  const { load, open, opened, change } = createFakes();
  const agents = createCurrentAgent(await load(), { load, open });
  expect([await agents.withAgent(numberOf), await agents.withAgent(numberOf)]).toEqual([0, 0]);
  change("b");
  expect([await agents.withAgent(numberOf), await agents.withAgent(numberOf)]).toEqual([1, 1]);
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, false]);
  await agents.close();
  expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
});

test("an agent that still works is closed when its work is done", async () => {
  const { load, open, opened, change } = createFakes();
  const agents = createCurrentAgent(await load(), { load, open });
  let finish = () => {};
  let begun = () => {};
  const hasBegun = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const work = agents.withAgent(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
        begun();
      }),
  );
  await hasBegun;
  change("b");
  await agents.withAgent(numberOf);
  expect(opened[0]?.isClosed).toBe(false);
  finish();
  await work;
  expect(opened[0]?.isClosed).toBe(true);
});

test("a configuration that cannot be read lets nothing begin", async () => {
  const { load, open } = createFakes();
  let isBroken = false;
  const agents = createCurrentAgent(await load(), {
    load: () => (isBroken ? Promise.reject(new Error("broken")) : load()),
    open,
  });
  isBroken = true;
  await expect(agents.withAgent(numberOf)).rejects.toThrow("broken");
  isBroken = false;
  expect(await agents.withAgent(numberOf)).toBe(0);
});
