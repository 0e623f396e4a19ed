import { describe, expect, it } from "vitest";
import type { ConversionOutcome } from "../../../src/content/conversion.ts";
import { type ConversionLimits, DEFAULT_CONVERSION_LIMITS } from "../../../src/content/conversion-limits.ts";
import { htmlToMarkdown } from "../../../src/content/html-to-markdown.ts";

const BASE_URL = "https://news.example/2026/page.html";

function convert(html: string, limits: Partial<ConversionLimits> = {}): ConversionOutcome {
  return htmlToMarkdown(html, { baseUrl: BASE_URL, limits: { ...DEFAULT_CONVERSION_LIMITS, ...limits } });
}

function markdownOf(html: string): string {
  const outcome = convert(html);
  expect(outcome).toMatchObject({ ok: true });
  return outcome.ok ? outcome.markdown : "";
}

const TOO_DEEP = { ok: false, reason: "nested_too_deep" };

describe("pages known to break turndown", () => {
  it.each([
    ["500 nested tables", "<table><tr><td>".repeat(500)],
    ["500 nested lists", "<ul><li>a".repeat(500)],
    ["750 nested lists", "<ul><li>".repeat(750)],
    ["2,000 nested divs", "<div>".repeat(2_000)],
    ["400,000 nested divs, which take the parser minutes", "<div>".repeat(400_000)],
    ["20,000 nested divs in a misnested b, which overflow the parser's stack", `<b>${"<div>".repeat(20_000)}</b>`],
    ["3,000 divs behind a style element that is none, being in SVG", `<svg><style>${"<div>".repeat(3_000)}`],
    ["5,000 open fonts", "<font>".repeat(5_000)],
  ])("are refused as too deep: %s", (_what, html) => {
    expect(convert(`${html}text`)).toMatchObject(TOO_DEEP);
  });

  it.each([
    ["100,000 newlines in pre", `<pre>a${"\n".repeat(100_000)}b</pre>`, /^```\na\n{200}b\n```$/],
    ["100,000 no-break spaces", `<p>a${"&nbsp;".repeat(100_000)}b</p>`, /^a b$/],
    ["100,000 em spaces, each in its element", `a${"<i>&emsp;</i>".repeat(100_000)}b`, /^a b$/],
    ["100,000 line breaks", `a${"<br>".repeat(100_000)}b`, /^a {2}\n\nb$/],
    ["100,000 images that come to nothing", `a${"<img src='data:,'> ".repeat(100_000)}b`, /^a b$/],
    ["20,000 blank code blocks", `a${"<pre> </pre> ".repeat(20_000)}b`, /^a\s{1,3}b$/],
    ["20,000 items", `<ol>${"<li>x".repeat(20_000)}</ol>`, /^1\. x\n[\s\S]*\n20000\. x$/],
    ["100,000 number signs", `<h2>${"#".repeat(100_000)}x</h2>`, /^## #{100000}x$/],
    ["100,000 ampersands", "&".repeat(100_000), /^&+$/],
    ["100,000 tags never finished", "<a ".repeat(100_000), /^$/],
    ["100,000 comments never finished", "<!--".repeat(100_000), /^$/],
    [
      "1,000 columns spanned in each of 5,000 rows",
      `<table>${"<tr><td colspan=1000>x<td>y".repeat(5_000)}`,
      /^\| {2}\| {2}\|\n/,
    ],
    [
      "5,000 short rows below a wide one",
      `<table><tr>${"<td>x".repeat(5_000)}${"<tr><td>y".repeat(5_000)}`,
      /\n\| y \|$/,
    ],
  ])("convert: %s", (_what, html, expected) => {
    expect(markdownOf(html)).toMatch(expected);
  });
});

describe("the limits", () => {
  it("accept HTML of exactly the limit's bytes, and refuse one byte more", () => {
    expect(convert("<p>é</p>", { inputBytes: 9 })).toEqual({ ok: true, markdown: "é" });
    expect(convert("<p>é</p>", { inputBytes: 8 })).toEqual({
      ok: false,
      reason: "input_too_large",
      detail: "9 bytes of HTML, limit 8",
    });
  });

  it("give Markdown of exactly the limit's bytes, and refuse one byte more", () => {
    expect(convert("<p>été</p>", { outputBytes: 5 })).toEqual({ ok: true, markdown: "été" });
    expect(convert("<p>été</p>", { outputBytes: 4 })).toMatchObject({ ok: false, reason: "output_too_large" });
  });

  it.each([
    ["indents", `<ul><li>${"<ul><li>".repeat(50)}${"x<br>".repeat(100)}`],
    ["quotes", `${"<blockquote>".repeat(50)}${"x<br>".repeat(100)}`],
    ["tables", `<table>${`<tr>${"<td>x".repeat(100)}`.repeat(10)}`],
  ])("stop a page whose %s multiply before it is complete", (_what, html) => {
    expect(convert(html, { outputBytes: 1_000 })).toMatchObject({ ok: false, reason: "output_too_large" });
  });

  it("accept elements as deep as the limit, html and body included, and refuse one level more", () => {
    const nested = (divs: number): string => `${"<div>".repeat(divs)}x${"</div>".repeat(divs)}`;
    expect(convert(nested(254))).toEqual({ ok: true, markdown: "x" });
    expect(convert(nested(255))).toMatchObject(TOO_DEEP);
    expect(convert(nested(1), { nestingDepth: 3 })).toEqual({ ok: true, markdown: "x" });
    expect(convert(nested(2), { nestingDepth: 3 })).toMatchObject(TOO_DEEP);
  });

  it("count elements that nest, not those left open", () => {
    expect(markdownOf(`<ul>${"<li>x".repeat(3_000)}</ul>${"<p>y".repeat(3_000)}`)).toContain("- x\n- x");
    expect(markdownOf(`<table>${"<tr><td>a<td>b".repeat(2_000)}</table>`)).toContain("| a | b |");
    expect(markdownOf(`<svg>${"<path d='M0 0'/>".repeat(3_000)}</svg>x`)).toBe("x");
    expect(markdownOf(`<script>${"document.write('<div>');".repeat(3_000)}</script>x`)).toBe("x");
  });
});

describe("text", () => {
  it.each([
    ["nothing at all", "", ""],
    ["white space only", " \n\t ", ""],
    ["a fragment that begins in a table", "<td>a</td><td>b</td>", "ab"],
    ["a document with a title", "<!doctype html><title>t</title><p>body", "body"],
    ["a frameset", "<frameset><frame src=x></frameset>", ""],
    [
      "the start of a line that would be a block",
      "<p># a</p><p>- b</p><p>1. c</p><p>+ d</p>",
      "\\# a\n\n\\- b\n\n1\\. c\n\n\\+ d",
    ],
    ["marks of formatting", "<p>a*b_c`d~e\\f</p>", "a\\*b\\_c\\`d\\~e\\\\f"],
    ["emphasis inside a word", "<p>un<em>believ</em>able</p>", "un*believ*able"],
    ["emphasis around blocks", "<b><p>a</p><p>b</p></b>", "a\n\nb"],
    ["a heading with a line break", "<h2>a<br>b</h2>", "## a b"],
    ["a heading that ends in its own mark", "<h2>C#</h2>", "## C\\#"],
    ["a heading with nothing in it", "<h2><img src='data:,'></h2><p>x</p>", "x"],
    ["a summary and its details", "<details><summary>a</summary>b</details>", "a\n\nb"],
    ["a list that goes on inside an item", "<ul><li>a<ol start=3><li>b</ol></ul>", "- a\n\n  3. b"],
    ["items numbered by hand", "<ol start=5><li>a<li value=9>b<li>c</ol>", "5. a\n9. b\n10. c"],
    ["a start that is not a number", "<ol start=x><li>a</ol>", "1. a"],
    ["a start past what Markdown counts", "<ol start=999999999><li>a<li>b</ol>", "999999999. a\n999999999. b"],
  ])("means the same in Markdown: %s", (_what, html, expected) => {
    expect(markdownOf(html)).toBe(expected);
  });
});

describe("links", () => {
  it.each([
    [
      "around a card's blocks hold them on one line",
      "<a href='/c'><div>T</div><p>d<br>e</p></a>",
      "[T d e](https://news.example/c)",
    ],
    ["around a heading move into it", "<a href='/c'><h3>T</h3></a>", "### [T](https://news.example/c)"],
    ["with nothing to show are left out", "<p>a<a href='/c'> </a>b</p>", "a b"],
    ["have their title kept", `<a href="/c" title='say "hi"'>x</a>`, `[x](https://news.example/c "say \\"hi\\"")`],
    [
      "around lists follow them",
      "<a href='/c'><ul><li>a<li>b</ul></a>",
      "- a\n- b\n\n[https://news.example/c](https://news.example/c)",
    ],
  ])("%s", (_what, html, expected) => {
    expect(markdownOf(html)).toBe(expected);
  });
});

describe("code", () => {
  it.each([
    ["is fenced, with its language", "<pre><code class='x language-js'>a\n\n  b</code></pre>", "```js\na\n\n  b\n```"],
    ["is fenced without a code element, and not escaped", "<pre>a *b* &lt;c></pre>", "```\na *b* <c>\n```"],
    ["keeps the lines its elements draw", "<pre>a<br>b<div>c</div></pre>", "```\na\nb\nc\n```"],
    ["gets a fence longer than any inside", "<pre>```\nx\n````</pre>", "`````\n```\nx\n````\n`````"],
    ["keeps its fence at line start inside bold items", "<b><li><pre>[x]: a</pre></b>", "- ```\n  [x]: a\n  ```"],
    [
      "keeps its fence at line start after text, its own indent too",
      "a<span><pre> b</pre></span>",
      "a\n\n```\n b\n```",
    ],
    ["keeps its fence at line start in an item without a list", "a<li><pre>b</pre>", "a\n- ```\n  b\n  ```"],
    ["of a language with a hostile name has none", "<pre class='language-a`b'>x</pre>", "```\nx\n```"],
    ["in a line keeps its backticks", "<p>a <code>b`c</code></p>", "a ``b`c``"],
    ["in a list is indented with it", "<ul><li>a<pre>b\nc</pre></ul>", "- a\n\n  ```\n  b\n  c\n  ```"],
    ["in a cell is one line", "<table><tr><td>a<td><pre>b|c\nd</pre></table>", "a\n\n```\nb|c\nd\n```"],
  ])("%s", (_what, html, expected) => {
    expect(markdownOf(html)).toBe(expected);
  });
});
