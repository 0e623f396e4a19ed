import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_CONVERSION_LIMITS } from "../../../src/content/conversion-limits.ts";
import { htmlToMarkdown } from "../../../src/content/html-to-markdown.ts";
import { findActiveContent } from "./active-content.ts";
import { hostileSoup, hostileTree } from "./hostile-html.ts";

const BASE_URL = "https://news.example/2026/page.html";

function convert(html: string, baseUrl = BASE_URL): string {
  const outcome = htmlToMarkdown(html, { baseUrl, limits: DEFAULT_CONVERSION_LIMITS });
  return outcome.ok ? outcome.markdown : `${outcome.reason}: ${outcome.detail}`;
}

/** Law: every string converts or fails with a limit, and what comes out has nothing to act on. */
function expectInert(html: string): void {
  const outcome = htmlToMarkdown(html, { baseUrl: BASE_URL, limits: DEFAULT_CONVERSION_LIMITS });
  if (!outcome.ok) {
    expect(outcome.reason).not.toBe("conversion_failed");
    return;
  }
  expect(findActiveContent(outcome.markdown)).toEqual([]);
  expect(outcome.markdown).not.toMatch(/[\uE000-\uE002]/);
}

describe("a hostile page", () => {
  it("converts to inert Markdown, whatever tree it is", () => {
    fc.assert(fc.property(fc.array(hostileTree, { maxLength: 5 }), (parts) => expectInert(parts.join(""))));
  });

  it("converts to inert Markdown, whatever order its tags are in", () => {
    fc.assert(fc.property(hostileSoup, expectInert));
  });

  it("converts to inert Markdown, whatever characters it contains", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 60 }), expectInert));
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."<>/!-=\"'&;#x`|\\[]()*_~ \nabp".split("")) }), expectInert),
    );
  });

  it.each([
    ["javascript:", "javascript:alert(1)"],
    ["another case", "JaVaScRiPt:alert(1)"],
    ["white space inside", "java\n\tscript:alert(1)"],
    ["white space before", " \u00a0 javascript:alert(1)"],
    ["control characters", "\u0001javascript:alert(1)"],
    ["numeric entities", "&#x6a;avascript&colon;alert(1)"],
    ["vbscript:", "vbscript:msgbox(1)"],
    ["data:", "data:text/html,<script>alert(1)</script>"],
    ["blob:", "blob:https://news.example/1"],
    ["file:", "file:///etc/passwd"],
    ["an address that is none", "http://["],
  ])("keeps a link's text and removes its address: %s", (_disguise, href) => {
    expect(convert(`<p>read <a href="${href}">this page</a> now</p>`)).not.toMatch(/script:|data:|blob:|file:/i);
    expect(convert(`<p>read <a href="${href}">this page</a> now</p>`)).toContain("this page");
  });

  it("keeps http, https and mailto links", () => {
    const html = `<a href="http://a.example/">1</a> <a href="HTTPS://B.example/x">2</a> <a href="mailto:me@c.example">3</a>`;
    expect(convert(html)).toBe("[1](http://a.example/) [2](https://b.example/x) [3](mailto:me@c.example)");
  });

  it("removes an image made of data and keeps its description", () => {
    expect(convert(`<p>a <img src="data:image/png;base64,AAAA" alt="a chart"> b</p>`)).toBe("a a chart b");
    expect(convert(`<p>a<img src="DATA:image/gif;base64,R0lG">b</p>`)).toBe("ab");
  });

  it("uses a lazy image's address if the source is a placeholder", () => {
    expect(convert(`<img src="data:image/gif;base64,R0lG" data-src="/i.png" alt="x">`)).toBe(
      "![x](https://news.example/i.png)",
    );
  });

  it("leaves out scripts, styles, frames and forms' fields, with all their text", () => {
    const html =
      "<p>kept</p><script>bad()</script><style>bad{}</style><iframe>bad</iframe><noscript>bad</noscript>" +
      "<template>bad</template><svg><text>bad</text></svg><select><option>bad</select><textarea>bad</textarea>";
    expect(convert(html)).toBe("kept");
  });

  it("shows text that looks like a tag, an entity or a link as the text it is", () => {
    expect(convert("<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>")).toBe("&lt;script>alert(1)&lt;/script>");
    expect(convert("<p>&amp;lt;b&amp;gt; AT&amp;T</p>")).toBe("&amp;lt;b&amp;gt; AT&T");
    expect(convert("<p>[x](javascript:y) 2 < 3</p>")).toBe("\\[x\\](javascript:y) 2 < 3");
  });

  it("keeps code that contains markup inside its backticks when two code elements touch", () => {
    expect(convert("<code>a`</code><code>&lt;script&gt;</code>")).toBe("`` a` `` `<script>`");
  });

  it("cannot forge the marks that replace code during the conversion", () => {
    expect(convert("<p>\uE0000\uE001<code>real</code></p>")).toBe("0`real`");
  });

  it("does not let text before a link make an image of it", () => {
    expect(convert(`<p>Look!<a href="/x">here</a> Now!</p>`)).toBe("Look\\![here](https://news.example/x) Now!");
  });
});

describe("relative addresses", () => {
  it("are resolved against the page", () => {
    expect(convert(`<a href="../a?b=1#c">x</a> <a href="#n">n</a>`)).toBe(
      "[x](https://news.example/a?b=1#c) [n](https://news.example/2026/page.html#n)",
    );
  });

  it("are resolved against the page's base where that is a web address", () => {
    expect(convert(`<base href="https://cdn.example/d/"><a href="x">x</a>`)).toBe("[x](https://cdn.example/d/x)");
    expect(convert(`<base href="/d/"><a href="x">x</a>`)).toBe("[x](https://news.example/d/x)");
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "file:///", "http://["])("ignore the base %s", (base) => {
    expect(convert(`<base href="${base}"><a href="/x">x</a>`)).toBe("[x](https://news.example/x)");
  });

  it.each(["", "not a url", "javascript:alert(1)", "file:///x"])(
    "become text when the page's own address is %j",
    (url) => {
      expect(convert(`<p><a href="/x">x</a> <a href="https://a.example/">y</a></p>`, url)).toBe(
        "x [y](https://a.example/)",
      );
    },
  );

  it("have characters encoded that would end a destination", () => {
    expect(convert(`<a href="/Foo_(bar)|<x>\`">x</a>`)).toBe("[x](https://news.example/Foo_%28bar%29%7C%3Cx%3E%60)");
  });
});
