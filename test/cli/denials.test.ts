/** `licet denials`: the same numbers as the reports of the runs. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DenialsReport } from "../../src/agent/reports/denials-agent.ts";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../doubles/cli-world.ts";

const PAGES = 4;

let world: CliWorld;
beforeAll(async () => {
  world = await createCliWorld(
    { sites: [newsSite(PAGES)], rates: ONE_PRICE },
    { policies: { standard: { rules: [{ allow: { maxPrice: "0.001 USD" } }] } } },
  );
  await world.cli("run");
});
afterAll(() => world.close());

const denials = async (...args: string[]) => (await world.json("denials", ...args)).value as DenialsReport;

test("has the counts of the runs, and the rules with their texts", async () => {
  const all = await denials();
  const runs = (await world.json("runs")).value as { runs: { runId: string }[] };
  const runId = runs.runs[0]?.runId ?? "";
  const details = (await world.json("runs", runId)).value as { denials: Record<string, number> };
  expect(all).toMatchObject({ runs: 1, total: PAGES, ruledPages: PAGES, olderRunsLeftOut: false, runId: null });
  expect(Object.fromEntries(all.reasons.map(({ reason, pages }) => [reason, pages]))).toEqual(details.denials);
  expect(all.classes).toEqual({ policy: PAGES, offer: 0, limit: 0, stored: 0 });
  expect(all.sites).toEqual([{ host: "news.example", pages: PAGES }]);
  expect(await denials("--run", runId)).toMatchObject({ from: null, runId, total: PAGES, pages: all.pages });
  expect(await denials("--from", "2026-01-01", "--to", "2026-01-02")).toMatchObject({ runs: 0, total: 0, pages: [] });
});

test("pages by cursor, and says in words what it counted", async () => {
  const first = await denials("--limit", "3");
  expect(first.pages).toHaveLength(3);
  const second = await denials("--limit", "3", "--cursor", first.nextCursor ?? "");
  expect([...first.pages, ...second.pages].map(({ url }) => url)).toEqual(
    (await denials()).pages.map(({ url }) => url),
  );
  expect(second.nextCursor).toBeNull();
  const { stdout } = await world.cli("denials", "--limit", "1");
  expect(stdout).toContain(`${PAGES} pages denied in 1 run that began from`);
  expect(stdout).toMatch(/4 {2}no_rule_matched \(policy\)/);
  expect(stdout).toMatch(/More: the same command with --cursor \d+\.\d+/);
  expect((await world.cli("denials", "--cursor", "x")).code).toBe(2);
});
