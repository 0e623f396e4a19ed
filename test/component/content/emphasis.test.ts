import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_CONVERSION_LIMITS } from "../../../src/content/conversion-limits.ts";
import { htmlToMarkdown } from "../../../src/content/html-to-markdown.ts";
import { assertDrawn } from "../../doubles/drawn-runs.ts";
import { readRenderedText, withoutSpace } from "./rendered-text.ts";

function markdownOf(html: string): string {
  const outcome = htmlToMarkdown(html, {
    baseUrl: "https://news.example/2026/page.html",
    limits: DEFAULT_CONVERSION_LIMITS,
  });
  return outcome.ok ? outcome.markdown : outcome.detail;
}

describe("emphasis", () => {
  it.each([
    ["two of a kind that touch are one", "<b>S</b><b>unshine</b>", "**Sunshine**"],
    ["two of two kinds that touch stay two", "<i>a</i><b>b</b>", "*a***b**"],
    ["one within one of its kind is that one", "<b>a <strong>b</strong> c</b>", "**a b c**"],
    ["a blank at its edge stands outside", "a<b> b </b>c", "a **b** c"],
    ["a break at its end stands outside", "<b>a<br></b>b", "**a**  \nb"],
    ["a break at its start stands outside", "a<b><br>b</b>", "a  \n**b**"],
    ["a paragraph's end within it ends it, and begins it anew", "<b>a<br><br>b</b>", "**a**  \n\n**b**"],
    ["around nothing it is nothing", "a<b> </b><i></i>b", "a b"],
    ["within a word it stands", "un<i>frigging</i>believable", "un*frigging*believable"],
    ["a colon before a word stands outside", "x<b>Note:</b>text", "x**Note**:text"],
    ["and so behind two kinds of it", "<b><i>Note:</i></b>text", "***Note***:text"],
    ["quotation marks within a word stand outside", 'x<b>"q"</b>y', 'x"**q**"y'],
    ["Chinese and Japanese marks stand outside", "<b>「text」</b>は", "**「text**」は"],
    ["where it cannot flank it is left out", "a<b><code>x</code></b>y", "a`x`y"],
    ["and so around a link", 'a<b><a href="/b">c</a></b>d', "a[c](https://news.example/b)d"],
    ["and so behind what was escaped", "a<b>b*</b>c", "ab\\*c"],
    ["strikethrough is as particular", "<s>x.</s>y<s>(z)</s>w", "~~x~~.y(z)w"],
    ["in a cell it ends with the cell", "<table><tr><th>a<td><b>b<br></b><td><b>c:</b>d</table>", null],
  ])("%s", (_what, html, expected) => {
    const markdown = markdownOf(`<p>${html}</p>`);
    expect(markdown).toBe(expected ?? "|  |  |  |\n| --- | --- | --- |\n| a | **b** | **c**:d |");
  });

  it("marks that a page puts into its text are not emphasis", () => {
    expect(markdownOf("<p>\uE003a\uE004 \uE005b</p>")).toBe("a b");
  });

  it.each([
    ["20,000 that cannot flank", "<b>a)</b>b".repeat(20_000)],
    ["20,000 that touch", "<b>a</b><i>b</i>".repeat(20_000)],
    ["100,000 colons", `<b>${":".repeat(100_000)}</b>x`],
    ["100 within each other, 200 times", `${"<b><i>(".repeat(50)}x${")</i></b>".repeat(50)}y`.repeat(200)],
  ])("takes bounded time: %s", (_what, html) => {
    expect(markdownOf(`<p>${html}</p>`)).not.toMatch(/[\uE000-\uE008]/);
  });
});

const piece = fc.oneof(
  fc.constantFrom("a", "word", " ", "  ", "<br>", "(", ")", ".", ":", "!", '"', "'", "-", "「", "」", "は", "。", "€"),
  fc.constantFrom(
    "*",
    "**",
    "_",
    "~",
    "~~",
    "`",
    "\\",
    "[",
    "]",
    "5",
    "#",
    "1",
    ")",
    "+",
    "&amp;",
    "&lt;",
    "&nbsp;",
    "😀",
    "é",
  ),
);

/** Small trees of inline elements, with what makes trouble at their edges. */
const { tree } = fc.letrec<{ tree: string; node: string }>((tie) => ({
  tree: fc.array(tie("node"), { maxLength: 4 }).map((nodes) => nodes.join("")),
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    piece,
    fc
      .tuple(fc.constantFrom("b", "i", "em", "strong", "s", "code", "span"), tie("tree"))
      .map(([name, inner]) => `<${name}>${inner}</${name}>`),
    tie("tree").map((inner) => `<a href="/x">${inner}</a>`),
  ),
}));

const textOf = (html: string) =>
  withoutSpace(
    html
      .replace(/<[^>]*>/g, "")
      .replace(/&nbsp;/g, " ")
      .replace(/&lt;/g, "<")
      .replace(/&amp;/g, "&"),
  );

describe("inline Markdown", () => {
  it.each([
    ["a number and its point in two elements", "1<span>.</span> x", "1\\. x"],
    ["a number alone", "1", "1"],
    ["a number before an emphasis that is left out", "1<b>. x</b>", "1\\. x"],
  ])("does not start a list that the page does not have: %s", (_what, html, expected) => {
    expect(markdownOf(`<p>${html}</p>`)).toBe(expected);
  });

  it.each([
    ["alone", '<a href="/x"><code>]:</code></a>', "[\\]:](https://news.example/x)"],
    ["behind more of its text", '<a href="/x">q <code>b]:c</code></a>', "[q b\\]:c](https://news.example/x)"],
    ["behind another", '<a href="/x"><code>]:</code><code>]: "t"</code></a>', '[\\]:\\]: "t"](https://news.example/x)'],
    ["in an emphasis that is left out", '<b><a href="/x"><code>]:</code></a></b>y', "[\\]:](https://news.example/x)y"],
    ["escaped twice", '<a href="/x"><code>\\\\]:</code></a>', "[\\\\\\\\\\]:](https://news.example/x)"],
    [
      "but not with a bracket in its label",
      '<a href="/x"><code>a[0]: b</code></a>',
      "[`a[0]: b`](https://news.example/x)",
    ],
    ["and not within a paragraph", 'y <a href="/x"><code>]:</code></a>', "y [`]:`](https://news.example/x)"],
  ])("is not a link definition where a paragraph begins with a link of code: %s", (_what, html, expected) => {
    for (const [open, prefix] of [
      ["<p>", ""],
      ["<ul><li>", "- "],
      ["<ol start=12><li>", "12. "],
      ["<blockquote><ul><li><p>", "> - "],
    ] as const) {
      const markdown = markdownOf(`${open}${html}`);
      expect(markdown).toBe(prefix + expected);
      expect(readRenderedText(markdown)).toBe(textOf(html));
    }
  });

  it("shows the text of its HTML, with no character missing or added", () => {
    assertDrawn(
      fc.property(fc.constantFrom("p", "h2", "li", "td"), tree, (name, inner) => {
        const open = name === "td" ? "<table><tr><th>x<th>y<tr><td>z<td>" : `<${name}>`;
        const markdown = markdownOf(`${open}${inner}`);
        const frame = name === "td" ? "xyz" : "";
        expect(readRenderedText(markdown), markdown).toBe(frame + textOf(inner));
      }),
    );
  });
});
