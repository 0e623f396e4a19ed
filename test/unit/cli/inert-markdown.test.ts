import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, it } from "vitest";
import { inertMarkdown } from "../../../src/cli/export/inert-markdown.ts";

/** A reader that trusts what it reads: HTML is let through, and any address. */
const reader = new MarkdownIt("default", { html: true });
reader.validateLink = () => true;
reader.normalizeLink = (url) => url;

function findActive(markdown: string): string[] {
  const tokens = reader.parse(markdown, {}).flatMap((block) => [block, ...(block.children ?? [])]);
  return tokens.flatMap(({ type, content, attrs }) => [
    ...(type === "html_block" || type === "html_inline" ? [content] : []),
    ...(attrs ?? [])
      .filter(([name]) => name === "href" || name === "src")
      .map(([, url]) => String(url))
      // A browser leaves out white space and control characters before it looks for the scheme.
      .filter((url) => !/^(?:https?:|mailto:|[^:]*(?:[/?#]|$))/i.test(url.replace(/[\s\p{Cc}]/gu, ""))),
  ]);
}

describe("Markdown as a gateway sent it", () => {
  it.each([
    ["a script", "<script>alert(1)</script>", "&lt;script>alert(1)&lt;/script>"],
    ["a handler", "a <img src=x onerror=alert(1)> b", "a &lt;img src=x onerror=alert(1)> b"],
    ["a comment", "<!-- a --> b", "&lt;!-- a --> b"],
    ["a script's address", "[a](javascript:alert(1))", "[a]\\(javascript:alert(1))"],
    [
      "one in disguise",
      "[a](<java\tscript:x>) [b](java&#115;cript:x)",
      "[a]\\(&lt;java\tscript:x>) [b]\\(java&#115;cript:x)",
    ],
    ["one that begins with a tag", "[](<script>&#58;)", "[]\\(&lt;script>&#58;)"],
    ["one on the next line", "[a](\njavascript:x)", "[a]\\(\njavascript:x)"],
    ["an image of data", "![a](data:image/svg+xml,x)", "![a]\\(data:image/svg+xml,x)"],
    ["a definition", "[a]: javascript:x\n\n[a]", "\\[a]: javascript:x\n\n[a]"],
    ["a definition in a quote", "> - [a]:\n> javascript:x", "> - \\[a]:\n> javascript:x"],
    ["an autolink of a script", "<javascript:x>", "&lt;javascript:x>"],
    ["code over two lines", "`a\n<b>`", "`a\n&lt;b>`"],
    ["code over two cells", "| ` | <b> ` |", "| ` | &lt;b> ` |"],
    ["a fence in a list", "- a\n  ```\n\n<b>", "- a\n  ```\n\n&lt;b>"],
  ])("is exported inert, and its text is complete: %s", (_what, markdown, expected) => {
    expect(inertMarkdown(markdown)).toBe(expected);
    expect(findActive(inertMarkdown(markdown))).toEqual([]);
  });

  it.each([
    "a < b, 5 <6, <- and ->",
    "`<b>` and ``<`i`>`` in a line",
    "```html\n<script>x</script>\n[a](javascript:x)\n```\n\ntext",
    "~~~\n<b>\n~~~",
    "[a](https://x.example/a:b) ![b](/c?d=e:f) [g](#h) [i](j.html) <https://k.example/> [l](mailto:m@n.example)",
    "[a]: https://x.example/\n[b]: c.html 'd'\n\n[a] [b]",
    "| a | b |\n| --- | --- |\n| `c` | d |",
  ])("is not changed if nothing is active: %j", (markdown) => {
    expect(inertMarkdown(markdown)).toBe(markdown);
    expect(findActive(markdown)).toEqual([]);
  });

  it("is never active, whatever it contains", () => {
    const piece = fc.constantFrom(
      ..."` `` ``` ~~~ \n \n\n \r > - 1. | \\ < <b> <!-- --> </b> <script> [ ] ( ) : [a] ]( ]: ![ # ? / & &#58; a".split(
        " ",
      ),
      ...[
        "\n",
        "\n\n",
        "\r",
        "    ",
        "  ",
        "\t",
        "javascript:",
        "data:",
        "https://a.example/",
        "java&#115;cript:",
        "```\n",
        "\n```\n",
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), (pieces) => {
        const markdown = pieces.join("");
        expect(findActive(inertMarkdown(markdown)), JSON.stringify(markdown)).toEqual([]);
      }),
      { numRuns: 5_000 },
    );
  });

  it("takes bounded time", () => {
    for (const text of ["`a``b".repeat(20_000), "[".repeat(100_000), "](".repeat(50_000), "<".repeat(100_000)]) {
      expect(inertMarkdown(text).length).toBeGreaterThan(0);
    }
  });
});
