import { createDocument } from "@mixmark-io/domino";
import { describe, expect, it } from "vitest";
import { DEFAULT_CONVERSION_LIMITS } from "../../../src/content/conversion-limits.ts";
import { htmlToMarkdown } from "../../../src/content/html-to-markdown.ts";
import { listArticleFolders, readExpected, readSource } from "../../corpus/read-corpus.ts";
import { PLAYS_ALL } from "../../doubles/whole-suite.ts";
import { findActiveContent, removeFences } from "./active-content.ts";
import { readRenderedText, withoutSpace } from "./rendered-text.ts";

const UNSEEN = new Set(
  (
    "ANNOTATION ANNOTATION-XML AUDIO CANVAS DATALIST HEAD IFRAME METER NOFRAMES NOSCRIPT OBJECT PROGRESS SCRIPT SELECT " +
    "STYLE SVG TEMPLATE TEXTAREA TITLE VIDEO"
  ).split(" "),
);

interface SourceNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly data: string;
  readonly childNodes: ArrayLike<SourceNode>;
}

/** Each visible text, in order. */
function readVisibleTexts(node: SourceNode, texts: string[] = []): string[] {
  if (node.nodeType === 3) {
    texts.push(node.data);
  } else if (!UNSEEN.has(node.nodeName.toUpperCase())) {
    for (const child of Array.from(node.childNodes)) {
      readVisibleTexts(child, texts);
    }
  }
  return texts;
}

/** Finds the texts one after the other. */
function expectInOrder(texts: readonly string[], shown: string): void {
  let at = 0;
  for (const text of texts) {
    const found = shown.indexOf(text, at);
    expect(found, `"${text}" after "${shown.slice(Math.max(0, at - 40), at)}"`).toBeGreaterThanOrEqual(at);
    at = found + text.length;
  }
}

/** The signs that are markup in Markdown, anywhere in a text. */
function readSigns(text: string): string {
  return text.replace(/[^*~`\\]/g, "");
}

function toLetters(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, "");
}

/** The letters a reader of the Markdown sees: no addresses, titles or languages of code. */
function readShownLetters(markdown: string): string {
  const shown = markdown
    .replace(/^([ >\-\d.]*`{3,})[\w+#.-]+$/gm, "$1")
    .replace(/\]\(https?:[^)\s]*( "(?:[^"\\]|\\.)*")?\)|\]\(mailto:[^)\s]*( "(?:[^"\\]|\\.)*")?\)/g, "]")
    .replace(/&lt;/g, "<")
    .replace(/&amp;/g, "&");
  return toLetters(shown);
}

describe.each(listArticleFolders())("a $corpus page", (folder) => {
  const texts = folder.names.flatMap((name) => [
    [`${name}/source.html`, () => readSource(folder, name)] as const,
    // The same text, in a part of the same elements.
    ...(PLAYS_ALL ? [[`${name}/expected.html`, () => readExpected(folder, name)] as const] : []),
  ]);
  it.each(texts)("converts with all its text and nothing active: %s", (_, readHtml) => {
    const html = readHtml();
    const outcome = htmlToMarkdown(html, {
      baseUrl: "http://fakehost/test/page.html",
      limits: DEFAULT_CONVERSION_LIMITS,
    });
    expect(outcome).toMatchObject({ ok: true });
    const markdown = outcome.ok ? outcome.markdown : "";
    expect(findActiveContent(markdown)).toEqual([]);
    expect(removeFences(markdown)).not.toMatch(/\]\(\s*(?:javascript|vbscript|data):/i);
    const document = createDocument(html, true) as { documentElement: SourceNode };
    const visible = readVisibleTexts(document.documentElement);
    expectInOrder(visible.map(toLetters), readShownLetters(markdown));
    // What a library of CommonMark shows: every text with its punctuation, and no sign of markup that is not the page's.
    const rendered = readRenderedText(markdown);
    expectInOrder(visible.map(withoutSpace), rendered);
    expect(readSigns(rendered)).toBe(readSigns(visible.join("")));
  });
});
