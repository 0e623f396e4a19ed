import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_CONVERSION_LIMITS } from "../../../src/content/conversion-limits.ts";
import { htmlToMarkdown } from "../../../src/content/html-to-markdown.ts";
import { findActiveContent } from "./active-content.ts";

/** A case is a folder with `source.html` and `expected.md`; `vitest run -u` writes the latter anew, for review. */
const CASES = new URL("../../golden/html-to-markdown/", import.meta.url);

describe("a golden page", () => {
  it.each(readdirSync(CASES).sort())("converts to the reviewed Markdown: %s", async (slug) => {
    const html = readFileSync(new URL(`${slug}/source.html`, CASES), "utf8");
    const outcome = htmlToMarkdown(html, {
      baseUrl: "https://news.example/2026/page.html",
      limits: DEFAULT_CONVERSION_LIMITS,
    });
    const markdown = outcome.ok ? outcome.markdown : outcome.detail;
    expect(findActiveContent(markdown)).toEqual([]);
    await expect(`${markdown}\n`).toMatchFileSnapshot(new URL(`${slug}/expected.md`, CASES).pathname);
  });
});
