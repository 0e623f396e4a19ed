/** What a bought page costs the ledger: a change that adds a row or an index entry to each page shows here, in review. */
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { type Work, watchConnections } from "../../bench/work-counter.mjs";
import { createCrawlWorld } from "../doubles/crawl-world.ts";

const PAGES = 400;
/** Written once a commit at most: how often that is depends on the time of the machine. */
const ONCE_A_COMMIT = new Set(["balance", "counter", "tally", "site_total"]);
/** Less is there once a batch. */
const ONCE_A_PAGE = 0.9;

// What a thread writes cannot be counted from here.
test.skipIf(process.env.LICET_TEST_LEDGER === "thread")(
  "the rows and index entries that a page writes are those of the golden file",
  async () => {
    const watch = watchConnections(Database);
    const world = await createCrawlWorld({
      sandbox: {
        sites: [{ kind: "synthetic", host: "news.example", pages: PAGES, bodyBytes: 2_000 }],
        rates: { default: [{ license: "ON_DEMAND_LICENSE", price: "0.001 USD" }] },
      },
      config: {
        sites: [{ host: "news.example", policy: "standard" }],
        budgets: [{ scope: "all", per: "month", limit: "100 USD" }],
      },
    });
    try {
      const agent = await world.openAgent();
      agent.on("run.started", () => watch.begin());
      const report = await agent.run();
      expect(report).toMatchObject({ pages: { bought: PAGES }, usage: { reported: PAGES } });
      await expect(describeWork(watch.read())).toMatchFileSnapshot("../golden/work-table.md");
    } finally {
      await world.close();
      watch.end();
    }
  },
);

function describeWork({ tables }: Work): string {
  const perPage = (count: number) => Math.round(count / PAGES);
  const rows = Object.entries(tables)
    .filter(([table, of]) => !ONCE_A_COMMIT.has(table) && (of.insert + of.update + of.delete) / PAGES >= ONCE_A_PAGE)
    .map(([table, of]) => ({ table, counts: [of.insert, of.update, of.delete, of.entries].map(perPage) }))
    .sort((a, b) => (a.table < b.table ? -1 : 1));
  const sums = [0, 1, 2, 3].map((column) => rows.reduce((sum, { counts }) => sum + (counts[column] ?? 0), 0));
  return [
    "# What a bought page writes, from the catalog to the settled report",
    "",
    "| table | rows inserted | updated | deleted | index entries |",
    "|---|---|---|---|---|",
    ...[...rows, { table: "all", counts: sums }].map(({ table, counts }) => `| ${table} | ${counts.join(" | ")} |`),
    "",
  ].join("\n");
}
