import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
afterEach(() => world.close());

test("reports name what the licenses permit where the configuration says so", async () => {
  world = await createCliWorld({ sites: [newsSite(2)], rates: ONE_PRICE });
  await world.configure({ gateway: { reportPermissions: true } });
  expect(await world.json("run")).toMatchObject({ code: 0, value: { usage: { reported: 2, pending: 0 } } });
  const ledger = new Database(world.ledgerFile, { readonly: true });
  const bodies = ledger.prepare<[], string>("SELECT CAST(body AS TEXT) FROM usage_batch").pluck().all();
  ledger.close();
  expect(bodies).toEqual([expect.stringContaining('"licensePermissions":[{"name":"PARTIAL_USE"}]')]);
  expect(await world.json("audit")).toMatchObject({ code: 0 });
});

test("the cost of uses is shown by the report that sent them, and a report says that a use exceeded a budget", async () => {
  world = await createCliWorld({ sites: [newsSite(2)], rates: ONE_PRICE });
  await world.cli("run");
  const url = world.sandbox.audit().charges[0]?.url ?? "";
  await world.cli("use", url, "--times", "3");
  expect(await world.json("report")).toMatchObject({
    code: 0,
    value: { reported: 3, chargedMicros: { USD: 30_000 }, overBudget: false },
  });
  expect(await world.json("use", url, "--times", "15000", "--over-budget")).toMatchObject({ code: 3 });
  expect((await world.cli("report")).stdout).toContain("Uses charged: 150.00 USD (a budget was exceeded");
});

test("a run that bought nothing shows the cost of its reported uses", async () => {
  world = await createCliWorld({ sites: [newsSite(2)], rates: ONE_PRICE });
  await world.cli("run");
  const url = world.sandbox.audit().charges[0]?.url ?? "";
  await world.cli("use", url, "--times", "15000", "--over-budget");
  const { stdout } = await world.cli("run");
  expect(stdout).toMatch(/^Spend: nothing\nUses charged: 150\.00 USD \(a budget was exceeded/m);
  expect(await world.json("run")).toMatchObject({ value: { usage: { chargedMicros: {}, overBudget: true } } });
});
