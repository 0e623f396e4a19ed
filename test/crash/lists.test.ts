/** Real processes that buy from a list, killed while they read it and while they buy: each page is bought once, and no line is lost. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
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
