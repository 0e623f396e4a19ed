import { describe, expect, it } from "vitest";
import { DEFAULT_CONVERSION_LIMITS } from "../../../src/content/conversion-limits.ts";
import { htmlToMarkdown } from "../../../src/content/html-to-markdown.ts";

function convert(html: string): string {
  const outcome = htmlToMarkdown(html, { baseUrl: "https://news.example/", limits: DEFAULT_CONVERSION_LIMITS });
  return outcome.ok ? outcome.markdown : outcome.reason;
}

describe("a table of data", () => {
  it.each([
    [
      "takes its heading from thead",
      "<table><thead><tr><td>A<td>B</thead><tr><td>1<td>2</table>",
      ["| A | B |", "| --- | --- |", "| 1 | 2 |"],
    ],
    [
      "takes its heading from a first row of th",
      "<table><tr><th>A<th>B<tr><td>1<td>2</table>",
      ["| A | B |", "| --- | --- |", "| 1 | 2 |"],
    ],
    [
      "gets an empty heading where it has none",
      "<table><tr><td>1<td>2<tr><td>3<td>4</table>",
      ["|  |  |", "| --- | --- |", "| 1 | 2 |", "| 3 | 4 |"],
    ],
    [
      "takes a row's own th for a cell",
      "<table><tr><th>A<td>1<tr><th>B<td>2</table>",
      ["|  |  |", "| --- | --- |", "| A | 1 |", "| B | 2 |"],
    ],
    [
      "escapes pipes in text, links and code",
      `<table><tr><td>a|b<td><code>c|d</code> <a href="/e|f">g</a></table>`,
      ["|  |  |", "| --- | --- |", "| a\\|b | `c\\|d` [g](https://news.example/e%7Cf) |"],
    ],
    [
      "escapes a pipe after a backslash so that the cell goes on",
      "<table><tr><td>a\\|b<td><code>c\\|d</code></table>",
      ["|  |  |", "| --- | --- |", "| a\\\\\\|b | `c\\\\\\|d` |"],
    ],
    [
      "puts blocks, lists and line breaks of a cell on one line",
      "<table><tr><td><p>a<p>b<br>c<td><ul><li>d<li>e</ul></table>",
      ["|  |  |", "| --- | --- |", "| a b c | d e |"],
    ],
    [
      "flattens a table in a cell to its text",
      "<table><tr><td>a<td><table><tr><th>b<td>c<tr><td>d</table></table>",
      ["|  |  |", "| --- | --- |", "| a | b c d |"],
    ],
    [
      "leaves room for a cell that spans columns",
      "<table><tr><th colspan=2>A<th>B<tr><td>1<td>2<td>3</table>",
      ["| A |  | B |", "| --- | --- | --- |", "| 1 | 2 | 3 |"],
    ],
    [
      "leaves room for a cell that spans rows",
      "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e</table>",
      ["|  |  |", "| --- | --- |", "| a | b |", "|  | c |", "| d | e |"],
    ],
    [
      "has no columns that only spans make",
      "<table><tr><td colspan=1000>a<td colspan=99999999>b<tr><td colspan=-3>c<td colspan=x>d</table>",
      ["|  |  |  |", "| --- | --- | --- |", "| a |  | b |", "| c | d |"],
    ],
    [
      "leaves out rows with nothing in them",
      "<table><tr><td>a<td>b<tr><td> <td><tr><tr><td>c<td>d</table>",
      ["|  |  |", "| --- | --- |", "| a | b |", "| c | d |"],
    ],
    [
      "has its caption before it",
      "<table><caption>The <b>rates</b></caption><tr><td>a<td>b</table>",
      ["The **rates**", "", "|  |  |", "| --- | --- |", "| a | b |"],
    ],
    [
      "stands in its list item",
      "<ul><li>x<table><tr><td>a<td>b</table></ul>",
      ["- x", "", "  |  |  |", "  | --- | --- |", "  | a | b |"],
    ],
    ["is nothing when its cells are", "<table><tr><td> <td></table>x", ["x"]],
  ])("%s", (_what, html, lines) => {
    expect(convert(html)).toBe(lines.join("\n"));
  });

  it("never becomes HTML, with or without a script inside", () => {
    const html = "<table><tr><td>a<script>alert(1)</script><td><b>c</b></table>";
    expect(convert(html)).toBe("|  |  |\n| --- | --- |\n| a | **c** |");
  });
});

describe("a table that arranges the page", () => {
  it.each([
    ["because it says so", "<table role=presentation><tr><td>a<td>b</table>", "a\n\nb"],
    ["because it has one cell", "<table><tr><td><p>a</p><p>b</p></table>", "a\n\nb"],
    ["because a cell holds a heading", "<table><tr><td><h2>a</h2>b<td>c</table>", "## a\n\nb\n\nc"],
    ["because a cell holds a quote", "<table><tr><td><blockquote>a</blockquote><td>c</table>", "> a\n\nc"],
    ["because a cell is long", `<table><tr><td>a<td>${"b".repeat(2_001)}</table>`, `a\n\n${"b".repeat(2_001)}`],
  ])("becomes the blocks in it: %s", (_why, html, expected) => {
    expect(convert(html)).toBe(expected);
  });

  it("keeps the data tables in it as tables", () => {
    const html = "<table><tr><td><h1>T</h1><table><tr><th>A<th>B<tr><td>1<td>2</table><td>side</table>";
    expect(convert(html)).toBe("# T\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nside");
  });

  it("is still a table with a heading in a heading cell, and with the longest cell allowed", () => {
    expect(convert("<table><tr><th><h3>A</h3><th>B<tr><td>1<td>2</table>")).toBe("| A | B |\n| --- | --- |\n| 1 | 2 |");
    expect(convert(`<table><tr><td>a<td>${"b".repeat(2_000)}</table>`)).toContain("| a | bb");
  });
});
