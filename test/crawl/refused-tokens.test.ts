/** A gateway that grants no token: the run says which settings to look at, and its limit of pages is not used up. */
import { afterEach, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
afterEach(() => world.close());

interface Shown {
  readonly runId: string;
  readonly state: string;
  readonly pages: { readonly bought: number; readonly failed: number };
  readonly sites: readonly { readonly stop: string | null; readonly stopDetail: string | null }[];
}
const run = async (...args: string[]) => {
  const { code, value } = await world.json("run", ...args);
  return { code, report: value as Shown };
};

test("every token refused: after the first pages a hint at agentId and userAgent, and exit code 4", async () => {
  world = await createCliWorld({ sites: [newsSite(30)], rates: ONE_PRICE, agentIds: ["registered-agent"] });
  const { code, report } = await run("--max-pages", "20");
  expect({ code, bought: report.pages.bought }).toEqual({ code: 4, bought: 0 });
  expect(report.pages.failed).toBeGreaterThanOrEqual(5);
  expect(report.pages.failed).toBeLessThan(20);
  expect(report.sites).toMatchObject([
    { stop: "unauthorized", stopDetail: expect.stringMatching(/AgentID.*gateway\.agentId and gateway\.userAgent/) },
  ]);
  await world.configure({ gateway: { agentId: "registered-agent" } });
  expect(await run("--max-pages", "20")).toMatchObject({ code: 0, report: { pages: { bought: 20, failed: 0 } } });
});

test("a refused page does not use up the limit of pages: the run can go on with the next ones", async () => {
  world = await createCliWorld({
    sites: [newsSite(60)],
    rates: ONE_PRICE,
    seed: 3,
    faults: { "token:price-rise": 0.4 },
  });
  const first = await run("--max-pages", "10");
  expect(first).toMatchObject({ code: 4, report: { state: "max_pages" } });
  expect(first.report.pages.failed).toBeGreaterThan(0);
  expect(first.report.pages.bought).toBeLessThan(10);
  world.sandbox.setFaults({});
  expect(await run("--resume", first.report.runId)).toMatchObject({ report: { pages: { bought: 10 } } });
});
