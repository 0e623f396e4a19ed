/** `licet rights`: a calendar of what ends. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RightsCalendar } from "../../src/agent/rights/rights-agent.ts";
import { isoDate } from "../../src/time/period.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

const DAY_MS = 86_400_000;
const PAGES = 3;

let world: CliWorld;
beforeAll(async () => {
  world = await createCliWorld(
    { sites: [newsSite(PAGES)], rates: ONE_PRICE },
    { policies: { standard: { retention: "10d", onExpiry: "purge", rules: [{ allow: {} }] } } },
  );
});
afterAll(() => world.close());

test("counts what ends on each day, the same as licet status --expiring, and says what happens then", async () => {
  expect((await world.cli("rights")).stdout).toContain("No rights end until");
  await world.cli("run");
  const { days, earliest, ended, countedUntil, until } = (await world.json("rights")).value as RightsCalendar;
  const { value } = await world.json("status", "--expiring", "90d");
  const { rights } = value as { rights: { total: number; documents: { endsAt: string; url: string }[] } };
  expect(days.reduce((sum, { pages }) => sum + pages, 0)).toBe(rights.total);
  expect(days.every(({ action, host }) => action === "purge" && host === "news.example")).toBe(true);
  expect(new Set(earliest.map(({ url }) => url))).toEqual(new Set(rights.documents.map(({ url }) => url)));
  // A run over midnight stores on two days.
  const stored = [Date.now() - DAY_MS, Date.now()].map((at) => isoDate(at + 10 * DAY_MS));
  expect(days.every(({ day }) => stored.includes(day))).toBe(true);
  expect({ ended, isAll: countedUntil === until }).toEqual({ ended: [], isAll: true });
  expect((await world.json("rights", "--within", "5d")).value).toMatchObject({ days: [], earliest: [] });
  expect((await world.cli("rights")).stdout).toMatch(/news\.example +purge +\d/);
  expect((await world.cli("rights", "--within", "soon")).code).toBe(2);
});
