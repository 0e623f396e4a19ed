import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { listArticleFolders, listSitemapFolders, readMetadata } from "../corpus/read-corpus.ts";
import { readSitemaps } from "../corpus/read-sitemaps.ts";
import { compareAccounts } from "../doubles/compare-accounts.ts";
import { type CrawlWorld, createCrawlWorld } from "../doubles/crawl-world.ts";

const RATES = { default: [{ license: "ON_DEMAND_FULL_USE_LICENSE", price: "0.01 USD" }] };
const BUDGETS = [{ scope: "all", limit: "1000 USD" }];
/** What the expected pages leave out: JSON-LD without a context names the author all the same. */
const AUTHORS: ReadonlyMap<string, string> = new Map([["tumblr", "mcupdate"]]);

let world: CrawlWorld | null = null;
afterEach(async () => {
  await world?.close();
  world = null;
});

describe.each(listArticleFolders())("all $corpus pages", (folder) => {
  // `both` is the other two at once: the many real pages are bought in that form.
  test.each(folder.corpus === "written" ? ["markdown", "html"] : ["both"])(
    "bought as %s, with the titles and authors of the pages",
    async (format) => {
      world = await createCrawlWorld({
        sandbox: { sites: [{ kind: "directory", host: "news.example", dir: folder.dir }], rates: RATES },
        config: {
          gateway: { timeoutMs: 30_000 },
          // How long a page takes is not what is tested, and all cores have other work.
          content: { timeoutMs: 300_000 },
          budgets: BUDGETS,
          policies: { standard: { format, rules: [{ allow: { maxPrice: "0.01 USD" } }] } },
          sites: [{ host: "news.example", policy: "standard" }],
        },
      });
      const agent = await world.openAgent();
      const report = await agent.run();
      expect(report).toMatchObject({
        state: "completed",
        pages: { bought: folder.names.length, failed: 0, inDoubt: 0 },
      });
      const wrong: string[] = [];
      for await (const document of agent.documents()) {
        const slug = new URL(document.url).pathname.split("/").filter(Boolean)[0] ?? "";
        const expected = readMetadata(folder, slug);
        const author = expected.byline ?? AUTHORS.get(slug) ?? null;
        if (normal(document.title) !== normal(expected.title) || normal(document.author) !== normal(author)) {
          wrong.push(`${slug}: ${document.title} by ${document.author}, not ${expected.title} by ${author}`);
        }
        if (
          (document.markdown === null) !== (format === "html") ||
          (document.html === null) !== (format === "markdown")
        ) {
          wrong.push(`${slug}: not stored as ${format} (${document.conversionFailure})`);
        }
      }
      expect(wrong).toEqual([]);
      expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
    },
  );
});

describe.each(listSitemapFolders())("catalogs made from $corpus sitemaps", (folder) => {
  test.each(folder.names)("%s is walked to its end with each page counted once", async (name) => {
    const dir = `${folder.dir}/${name}`;
    const locations = readdirSync(dir)
      .filter((file) => file.endsWith(".xml"))
      .flatMap((file) => {
        const text = readFileSync(`${dir}/${file}`, "utf8").replace(/<!--[\s\S]*?-->/g, "");
        return text.includes("<sitemapindex")
          ? []
          : [...text.matchAll(/<loc>\s*(?:<!\[CDATA\[)?\s*(.*?)\s*(?:\]\]>)?\s*<\/loc>/gs)].map((match) =>
              decodeXml(match[1] ?? ""),
            );
      });
    const host = new URL(locations[0] ?? "").host;
    const pages = new Set(
      locations.filter((url) => URL.canParse(url) && new URL(url).host === host).map((url) => new URL(url).href),
    );
    world = await createCrawlWorld({
      sandbox: { sites: [{ kind: "pages", host, pages: readSitemaps(dir) }], rates: RATES, defaultPageSize: 50 },
      config: { gateway: { catalogPageSize: 50 }, budgets: BUDGETS, sites: [{ host, policy: "standard" }] },
    });
    const agent = await world.openAgent();
    const report = await agent.run();
    expect(report.pages.seen).toBe(pages.size);
    expect(report.sites[0]).toMatchObject({ walkEnded: true, walkWarning: null });
    expect(compareAccounts(world.sandbox, world.ledgerFile)).toEqual([]);
  });
});

function normal(text: string | null): string {
  return (text ?? "").replace(/\s+/g, " ").trim();
}

function decodeXml(text: string): string {
  return text
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&apos;", "'");
}
