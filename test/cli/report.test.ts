import Database from "better-sqlite3";
import { afterEach, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "./cli-world.ts";

let world: CliWorld;
afterEach(() => world.close());

test("reports name what the licences permit where the configuration says so", async () => {
  world = await createCliWorld({ sites: [newsSite(2)], rates: ONE_PRICE });
  await world.configure({ gateway: { reportPermissions: true } });
  expect(await world.json("run")).toMatchObject({ code: 0, value: { usage: { reported: 2, pending: 0 } } });
  const ledger = new Database(world.ledgerFile, { readonly: true });
  const bodies = ledger.prepare<[], string>("SELECT CAST(body AS TEXT) FROM usage_batch").pluck().all();
  ledger.close();
  expect(bodies).toEqual([expect.stringContaining('"licensePermissions":[{"name":"PARTIAL_USE"}]')]);
  expect(await world.json("audit")).toMatchObject({ code: 0 });
});
