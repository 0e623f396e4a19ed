/** `licet plans`: the saved plans of `serve.plans`. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE, PRICE_MICROS } from "../doubles/cli-world.ts";

const PAGES = 4;

let world: CliWorld;
beforeAll(async () => {
  world = await createCliWorld({ sites: [newsSite(PAGES)], rates: ONE_PRICE }, { serve: { plans: "plans" } });
});
afterAll(() => world.close());

test("without a plan, says how to write one", async () => {
  expect((await world.cli("plans")).stdout).toContain("licet plan --out plans/NAME.jsonl");
});

test("lists plans with their money, shows one, and says what it changes", async () => {
  await mkdir(join(world.directory, "plans"));
  await world.cli("plan", "--out", "plans/old.jsonl", "--max-pages", "3");
  await world.cli("plan", "--out", "plans/new.jsonl");
  await writeFile(join(world.directory, "plans", "odd.jsonl"), "text");
  const { value } = await world.json("plans");
  expect(value).toMatchObject({
    plans: [
      { name: "new.jsonl", plan: { pages: PAGES, setAsideMicros: { USD: PAGES * PRICE_MICROS }, runs: [] } },
      { name: "odd.jsonl", plan: null, problem: expect.stringContaining("not a plan") },
      { name: "old.jsonl", plan: { pages: 3 } },
    ],
    nextCursor: null,
  });
  const { stdout } = await world.cli("plans");
  expect(stdout).toContain("to approve");
  expect(stdout).toContain("broken");
  const one = (await world.cli("plans", "new.jsonl", "--against", "old.jsonl")).stdout;
  expect(one).toContain(`${PAGES} pages left`);
  expect(one).toContain("1 page added");
});

test("after a run with a reason, says who approved it", async () => {
  await world.cli("run", "--plan", "plans/new.jsonl", "--reason", "the pages of May");
  expect((await world.json("plans", "new.jsonl")).value).toMatchObject({
    plan: { runs: [{ state: "completed", reason: "the pages of May", approvedAt: expect.stringMatching(/Z$/) }] },
  });
  expect((await world.cli("plans")).stdout).toContain("the pages of May");
});

test("refuses names that are not of a plan, and --against alone", async () => {
  expect(await world.cli("plans", "../licet.config.json")).toMatchObject({ code: 2 });
  expect(await world.cli("plans", "none.jsonl")).toMatchObject({ code: 2 });
  expect(await world.cli("plans", "--against", "old.jsonl")).toMatchObject({ code: 2 });
});
