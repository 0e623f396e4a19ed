import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeHtml } from "../../../src/sandbox/convert/decode-html.ts";
import { parseHtml } from "../../../src/sandbox/convert/dom.ts";
import { renderHtml } from "../../../src/sandbox/convert/page-source.ts";
import type { Sandbox } from "../../../src/sandbox/sandbox.ts";
import { listArticleFolders, listSitemapFolders, readExpected, readMetadata } from "../../corpus/read-corpus.ts";
import { readSitemaps } from "../../corpus/read-sitemaps.ts";
import { call, KEY, startGateway } from "./gateway-caller.ts";

/** The address that the expected pages were resolved against. */
const PAGE_URL = "http://fakehost/test/page.html";

/** What the expected pages leave out: JSON-LD without a context names the author all the same. */
const AUTHORS: ReadonlyMap<string, string> = new Map([["tumblr", "mcupdate"]]);

const textOf = (html: string) => (parseHtml(html, PAGE_URL).documentElement?.textContent ?? "").replace(/\s+/g, "");

describe.each(listArticleFolders())("$corpus pages", (folder) => {
  test.each(folder.names)("%s has its title, its author and its complete text", (name) => {
    const page = renderHtml(decodeHtml(readFileSync(join(folder.dir, name, "source.html"))), "html", PAGE_URL);
    const expected = readMetadata(folder, name);
    expect(page.metadata.title).toBe(expected.title);
    expect(page.metadata.author).toBe(expected.byline ?? AUTHORS.get(name) ?? "");
    expect(textOf(page.body)).toBe(textOf(readExpected(folder, name)));
  });

  const everyTenth = folder.names.filter((_, index) => folder.corpus === "written" || index % 10 === 0);
  test.each(everyTenth)("%s keeps its words as Markdown", (name) => {
    const source = decodeHtml(readFileSync(join(folder.dir, name, "source.html")));
    const wordsOf = (text: string) => text.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
    const markdown = renderHtml(source, "markdown", PAGE_URL).body.replace(/\\(.)/g, "$1");
    const html = renderHtml(source, "html", PAGE_URL).body;
    // Tags become spaces, so that neighbouring blocks do not run into one word.
    const words = wordsOf(parseHtml(html.replace(/</g, " <"), PAGE_URL).documentElement?.textContent ?? "");
    const kept = new Set(wordsOf(markdown));
    const lost = words.filter((word) => !kept.has(word) && !markdown.includes(word));
    expect(lost).toEqual([]);
  });
});

describe.each(listSitemapFolders())("$corpus sitemaps", ({ dir, names: sites }) => {
  let gateway: Sandbox;

  beforeAll(async () => {
    gateway = await startGateway({
      sites: sites.map((name) => ({
        host: `${name}.example`,
        kind: "pages" as const,
        pages: readSitemaps(join(dir, name)),
      })),
    });
  });
  afterAll(() => gateway.close());

  test.each(sites)("%s is listed completely, and each of its pages has rates", async (name) => {
    const listed = readdirSync(join(dir, name))
      .filter((file) => file.endsWith(".xml"))
      .map((file) => readFileSync(join(dir, name, file), "utf8").replace(/<!--[\s\S]*?-->/g, ""))
      .map((xml) => xml.match(/<url>|<url\s/g)?.length ?? 0)
      .reduce((sum, count) => sum + count, 0);
    const path = `/dev/v2/content/${name}.example/catalog/list?pageSize=1000`;
    const { pages } = (await call(gateway, "GET", path, KEY)).json;
    expect(pages).toHaveLength(listed);
    const dated = pages.map((page: { lastMod?: string }) => Date.parse(page.lastMod ?? "")).filter(Number.isFinite);
    expect(dated).toEqual([...dated].sort((left, right) => right - left));
    for (const { pageUrl } of pages) {
      expect((await call(gateway, "GET", `/dev/v2/rates/${encodeURIComponent(pageUrl)}`, KEY)).status).toBe(200);
    }
  });
});
