/** `licet check` knows ok, warning and failed; nothing bought is said by check, plan and run alike. */
import { afterEach, describe, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
afterEach(() => world.close());

interface Checked {
  readonly ok: boolean;
  readonly warnings: number;
  readonly checks: readonly { readonly name: string; readonly level: string; readonly code: string | null }[];
}
const check = async (...args: string[]) => {
  const { code, value } = await world.json("check", ...args);
  return { code, ...(value as Checked) };
};

test("asks for a token, which costs nothing", async () => {
  world = await createCliWorld({ sites: [newsSite(5)], rates: ONE_PRICE });
  expect(await check()).toMatchObject({
    code: 0,
    ok: true,
    checks: expect.arrayContaining([expect.objectContaining({ name: "token: news.example", level: "ok" })]),
  });
  expect(world.sandbox.audit()).toMatchObject({ charges: [] });
});

test("fails with a hint at agentId and userAgent when the gateway grants no token", async () => {
  world = await createCliWorld({ sites: [newsSite(5)], rates: ONE_PRICE, agentIds: ["registered-agent"] });
  const { code, stdout } = await world.cli("check");
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAIL +token: news\.example/);
  expect(stdout).toMatch(/What to do:[\s\S]*gateway\.agentId and gateway\.userAgent/);
});

test("says that only a purchase will tell where the policy allows none of the first pages", async () => {
  world = await createCliWorld(
    { sites: [newsSite(5)], rates: ONE_PRICE },
    { policies: { standard: { rules: [{ deny: {} }] } } },
  );
  expect((await world.cli("check")).stdout).toMatch(/ok +token: news\.example +only a purchase will tell/);
});

test("little room on the disk is a warning, and not a failure", async () => {
  world = await createCliWorld({ sites: [newsSite(5)], rates: ONE_PRICE }, { ledger: { lowDiskMb: 900_000_000 } });
  await world.cli("run");
  expect(await check()).toMatchObject({
    code: 0,
    ok: true,
    warnings: 2,
    checks: expect.arrayContaining([expect.objectContaining({ name: "disk", level: "warning", code: "DISK_FULL" })]),
  });
  expect((await world.cli("check")).stdout).toMatch(/warning +disk[\s\S]*Everything works\. 2 warnings\./);
});

describe("without a budget in the currency of the offers", () => {
  test("check, plan and run warn, buy nothing, and end with 3", async () => {
    world = await createCliWorld(
      { sites: [newsSite(5)], rates: ONE_PRICE },
      { budgets: [{ scope: "all", per: "month", limit: "100 EUR" }] },
    );
    expect(await check()).toMatchObject({
      code: 3,
      checks: expect.arrayContaining([
        expect.objectContaining({
          name: "budgets: news.example",
          level: "warning",
          code: "no_budget_in_currency",
          detail: expect.stringContaining("offered in USD"),
        }),
      ]),
    });
    for (const command of ["plan", "run"]) {
      const { code, value } = await world.json(command);
      expect({ code, report: value }).toMatchObject({
        code: 3,
        report: {
          denials: { no_budget_in_currency: 5 },
          warnings: expect.arrayContaining([expect.stringContaining("5 pages are offered only in a currency")]),
        },
      });
    }
  });
});

test("plan ends with 1 when a site cannot be planned", async () => {
  world = await createCliWorld({ sites: [newsSite(5)], rates: ONE_PRICE, faults: { "forbidden-site": 1 } });
  expect(await world.json("plan")).toMatchObject({ code: 1 });
});
