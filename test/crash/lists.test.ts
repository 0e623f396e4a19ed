/** Real processes that buy from a list, killed while they read it and while they buy: each page is bought once, and no line is lost. */
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, expect, test, vi } from "vitest";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { killAt } from "./crash-order.ts";
import { CRASH_TIMEOUT_MS, type CrashWorld, createCrashWorld, findImpoliteness } from "./crash-world.ts";
import { chooseOne, KILL_SEED } from "./kill-seed.ts";

vi.setConfig({ testTimeout: CRASH_TIMEOUT_MS });

const PAGES = 40;
/** Between two pages, so that the list is longer than what is read at once. */
const COMMENTS = 30;

let world: CrashWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

const MOMENTS = ["before", "uncommitted", "committed"] as const;

test.each(chooseOne(MOMENTS.map((moment) => [moment] as const)))(
  `a list is read and bought to its end over kills: at the record of its lines (%s), and in the middle of a purchase (LICET_KILL_SEED=${KILL_SEED})`,
  async (moment) => {
    const opened = await createCrashWorld({
      sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 8 },
      config: { gateway: { concurrency: 3, quoteBatchSize: 5 } },
    });
    world = opened;
    const lines = Array.from({ length: PAGES }, (_, index) => [
      JSON.stringify({ url: `https://news.example/articles/${String(index).padStart(7, "0")}`, key: `doc-${index}` }),
      ...Array.from({ length: COMMENTS }, () => "#"),
    ]).flat();
    const file = join(opened.directory, "pages.jsonl");
    await writeFile(file, [...lines, "no page", lines[0]].join("\n"));

    for (const order of [killAt("recordLines", moment, 2), killAt("settlePurchase", "before", 5)]) {
      const killed = await opened.start(["run", "--list", file], order).result;
      expect(findImpoliteness(killed)).toEqual([]);
      expect(killed.signal, killed.stderr).toBe("SIGKILL");
    }
    const { code, stdout } = await opened.here("run", "--list", file, "--json");
    const report = JSON.parse(stdout);
    // A page whose answer was lost with the process is in doubt, and was charged once.
    expect(report.pages.bought + report.pages.inDoubt).toBe(PAGES);
    expect(report).toMatchObject({
      resumed: true,
      state: "completed",
      pages: { seen: PAGES, approved: PAGES },
      list: { lines: lines.length + 2, isRead: true, pages: PAGES, repeated: 1, rejected: { not_a_url: 1 } },
    });
    expect(code).toBe(4);
    await opened.expectMatchingAccounts({ charges: PAGES });
  },
);

test.each(chooseOne(MOMENTS.map((moment) => [moment] as const)))(
  `a plan of a list that is killed (%s) leaves nothing, and the next one is bought as it was approved (LICET_KILL_SEED=${KILL_SEED})`,
  async (moment) => {
    const opened = await createCrashWorld({
      sandbox: { sites: [newsSite(PAGES)], rates: ONE_PRICE, latencyMs: 8 },
      config: { gateway: { concurrency: 3, quoteBatchSize: 5 } },
    });
    world = opened;
    const urls = Array.from({ length: PAGES }, (_, index) => [
      `https://news.example/articles/${String(index).padStart(7, "0")},doc-${index}`,
      ...Array.from({ length: COMMENTS }, () => ","),
    ]).flat();
    await writeFile(join(opened.directory, "pages.csv"), ["url,key", ...urls].join("\n"));
    // Without a ledger, a plan works in memory.
    expect((await opened.here("run", "--max-pages", "1")).code).toBe(0);
    const before = await readdir(opened.directory);
    const plan = ["plan", "--list", "pages.csv", "--max-spend", "0.05 USD", "--out", "plan.jsonl"];
    for (const order of [
      killAt("recordLines", moment, 2),
      killAt("decide", moment, 3),
      killAt("discardPlan", moment),
    ]) {
      // The next run or plan clears a dead plan away as soon as its leases are over.
      const killed = await opened.start(plan, { ...order, limits: { leaseMs: 200 } }).result;
      expect(findImpoliteness(killed)).toEqual([]);
      expect(killed.signal, killed.stderr).toBe("SIGKILL");
      expect(await readdir(opened.directory)).toEqual(before);
    }
    const planned = async () => ({ code: (await opened.here(...plan)).code, ...countPlannings(opened.ledgerFile) });
    await expect.poll(planned).toEqual({ code: 0, plannings: 0, lists: 0, listed: 0 });
    expect((await opened.here("run", "--plan", "plan.jsonl")).code).toBe(0);
    await opened.expectMatchingAccounts({ charges: 1 + 5 });
  },
);

function countPlannings(ledgerFile: string): object {
  const database = new Database(ledgerFile, { readonly: true });
  try {
    return database
      .prepare(
        `SELECT (SELECT count(*) FROM run WHERE kind = 'planning') AS plannings, (SELECT count(*) FROM run_list) AS lists,
           (SELECT count(*) FROM listed_page) AS listed`,
      )
      .get() as object;
  } finally {
    database.close();
  }
}
