/** Texts of content that are written as zstd: they come back as they were, and everything that looks at texts looks at these too. */
import { expect, onTestFinished, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openSqliteLedger } from "../../../src/ledger/sqlite/open.ts";
import { buyPages, NOON } from "../../doubles/ledger-shop.ts";
import { HOST } from "../../doubles/ledger-steps.ts";
import { openTempLedger, type TempLedger } from "../../doubles/temp-ledger.ts";

/** What was bought with compression: `/a` as Markdown, `/b` as HTML, and `/c` as HTML of which Markdown is derived. */
async function buyCompressed(): Promise<{ readonly temp: TempLedger; readonly compressing: Ledger }> {
  const temp = await openTempLedger();
  const compressing = await openSqliteLedger({ path: temp.path, compress: true });
  onTestFinished(() => compressing.close());
  await buyPages(compressing, { runId: "run_a", paths: ["/a"] });
  await buyPages(compressing, { runId: "run_b", paths: ["/b"], format: "html" });
  await buyPages(compressing, { runId: "run_c", paths: ["/c"], format: "both" });
  return { temp, compressing };
}

const urlOf = (path: string) => `https://${HOST}${path}`;
const audit = async (ledger: Ledger) => (await ledger.audit({ budgets: [], now: NOON })).violations;

test("they come back as they were, with and without compression", async () => {
  const { temp, compressing } = await buyCompressed();
  expect(temp.query("SELECT count(*) AS n FROM content WHERE markdown IS NOT NULL OR html IS NOT NULL")).toEqual([
    { n: 0 },
  ]);
  for (const ledger of [compressing, temp.ledger]) {
    const held = await ledger.findHeld({ urls: [urlOf("/a"), urlOf("/b")] });
    expect(held.map(({ document }) => [document.markdown, document.html])).toEqual([
      [`# ${urlOf("/a")}`, null],
      [null, `<h1>${urlOf("/b")}</h1>`],
    ]);
    const documents = await ledger.readDocuments({ host: HOST, sinceAt: null, afterPageId: 0, limit: 9 });
    expect(documents.map(({ markdown, html }) => markdown ?? html)).toEqual([
      `# ${urlOf("/a")}`,
      `<h1>${urlOf("/b")}</h1>`,
      `<h1>${urlOf("/c")}</h1>`,
    ]);
    expect(await ledger.listUnderived(9)).toMatchObject([{ url: urlOf("/c"), html: `<h1>${urlOf("/c")}</h1>` }]);
    expect(await audit(ledger)).toEqual([]);
  }
  // What comes without compression stands beside it.
  await buyPages(temp.ledger, { runId: "run_d", paths: ["/d"] });
  expect(temp.query("SELECT url, markdown_zstd IS NULL AS isPlain FROM v1_documents ORDER BY url")).toMatchObject([
    { url: urlOf("/a"), isPlain: 0 },
    { isPlain: 1 },
    { isPlain: 1 },
    { url: urlOf("/d"), isPlain: 1 },
  ]);
});

test("a ledger in a thread compresses too", async () => {
  const temp = await openTempLedger();
  const ledger = await openSqliteLedger({ path: temp.path, compress: true, inThread: true });
  await buyPages(ledger, { runId: "run_a", paths: ["/a"] });
  expect(await ledger.readDocuments({ host: HOST, sinceAt: null, afterPageId: 0, limit: 9 })).toMatchObject([
    { markdown: `# ${urlOf("/a")}` },
  ]);
  await ledger.close();
  expect(temp.query("SELECT markdown, markdown_zstd IS NULL AS isPlain FROM content")).toEqual([
    { markdown: null, isPlain: 0 },
  ]);
});

test("a purge takes them out of the file", async () => {
  const { temp, compressing } = await buyCompressed();
  await compressing.purge({
    named: { urls: [urlOf("/a"), urlOf("/b")], reason: "asked" },
    hosts: null,
    policies: {},
    dryRun: false,
    limit: 9,
    now: NOON,
  });
  expect(
    temp.query(
      "SELECT count(*) AS n FROM content WHERE purged_at IS NOT NULL AND coalesce(markdown_zstd, html_zstd) IS NULL",
    ),
  ).toEqual([{ n: 2 }]);
  expect(await audit(compressing)).toEqual([]);
});

test.each([
  [
    "another text",
    "UPDATE content SET markdown_zstd = (SELECT html_zstd FROM content WHERE purchase_id = 2) WHERE purchase_id = 1",
    /no longer what was bought/,
  ],
  [
    "bytes that are not zstd",
    "UPDATE content SET markdown_zstd = x'00ff' WHERE purchase_id = 1",
    /no longer what was bought/,
  ],
  [
    "a text that is there twice",
    "UPDATE content SET markdown = 'x' WHERE purchase_id = 1",
    /is there twice, once as zstd/,
  ],
])("the audit names %s", async (_what, sql, words) => {
  const { temp } = await buyCompressed();
  temp.tamper(sql);
  expect((await audit(temp.ledger)).map(({ detail }) => detail).join("\n")).toMatch(words);
});

test("bytes that changed are not given out", async () => {
  const { temp } = await buyCompressed();
  temp.tamper("UPDATE content SET markdown_zstd = x'00ff' WHERE purchase_id = 1");
  await expect(temp.ledger.findHeld({ urls: [urlOf("/a")] })).rejects.toMatchObject({ code: "LEDGER_CORRUPT" });
});
