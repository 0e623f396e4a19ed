/** `licet spend`: days and sites, against the books of the gateway. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SpendReport } from "../../src/agent/reports/spend-agent.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";

const PAGES = 3;

let world: CliWorld;
beforeAll(async () => {
  world = await createCliWorld({ sites: [newsSite(PAGES)], rates: ONE_PRICE });
});
afterAll(() => world.close());

test("says that nothing was bought, and after a run what the gateway charged, by day and by site", async () => {
  await world.cli("run", "--max-pages", "1");
  expect((await world.cli("spend", "--to", "2026-01-01")).stderr).toContain("Name the first day too (--from)");
  expect((await world.cli("spend", "--from", "2026-01-01", "--to", "2026-01-31")).stdout).toBe(
    "Nothing was bought from 2026-01-01 to 2026-01-31 (UTC).\n",
  );
  await world.cli("run");
  const { code, value } = await world.json("spend");
  expect(code).toBe(0);
  const { days, sites, totals } = value as SpendReport;
  const charged = world.sandbox.audit().charges.reduce((sum, { priceMicros }) => sum + priceMicros, 0);
  expect(charged).toBe(PAGES * PRICE_MICROS);
  expect(totals).toMatchObject([{ currency: "USD", settledMicros: charged, bought: PAGES }]);
  expect(days.reduce((sum, { settledMicros }) => sum + settledMicros, 0)).toBe(charged);
  expect(sites).toMatchObject([{ host: "news.example", settledMicros: charged, bought: PAGES }]);
  const { stdout } = await world.cli("spend");
  expect(stdout).toMatch(/total +0\.03 USD +0\.00 USD +0\.00 USD +0\.00 USD +3 +0/);
  expect(stdout).toMatch(/news\.example +0\.03 USD/);
});
