import { describe, expect, test } from "vitest";
import { renderHtml } from "../../../src/sandbox/convert/page-source.ts";

const URL = "https://a.example/page";
const TEXT = `<p>${"A long paragraph about bridges and harbours, with commas. ".repeat(8)}</p>`;

function authorOf(head: string): string {
  return renderHtml(`<html><head>${head}</head><body><article>${TEXT}</article></body></html>`, "html", URL).metadata
    .author;
}

const linked = (data: unknown) => `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
const ARTICLE = { "@type": "NewsArticle", datePublished: "2026-01-02" };

describe("the author in JSON-LD", () => {
  test.each<{ where: string; data: unknown; author: string }>([
    { where: "as a text", data: { ...ARTICLE, author: "Ann Lee" }, author: "Ann Lee" },
    { where: "as a person", data: { ...ARTICLE, author: { "@type": "Person", name: "Ann Lee" } }, author: "Ann Lee" },
    { where: "as several", data: { ...ARTICLE, author: [{ name: "Ann" }, "Bo", { name: "Ann" }] }, author: "Ann, Bo" },
    {
      where: "by reference in a graph",
      data: {
        "@context": "https://schema.org",
        "@graph": [
          { ...ARTICLE, author: { "@id": "#ann" } },
          { "@id": "#ann", name: "Ann Lee" },
        ],
      },
      author: "Ann Lee",
    },
    {
      where: "of a node without a date, of several types",
      data: [{ "@type": "WebSite" }, { "@type": ["Article"], author: "Ann" }],
      author: "Ann",
    },
    { where: "that is not readable", data: { ...ARTICLE, author: { name: 7 } }, author: "" },
  ])("is read $where", ({ data, author }) => {
    expect(authorOf(linked(data))).toBe(author);
  });

  test("comes after the author that the page itself names", () => {
    expect(authorOf(`<meta name="author" content="Ann">${linked({ ...ARTICLE, author: "Desk" })}`)).toBe("Ann");
  });

  test("is found beside broken JSON", () => {
    expect(authorOf(`<script type="application/ld+json">{</script>${linked({ ...ARTICLE, author: "Ann" })}`)).toBe(
      "Ann",
    );
  });
});

const ACTIVE = [
  '<a href="javascript:alert(1)">one</a>',
  '<a href=" java&#10;script:alert(1)">two</a>',
  '<a href="data:text/html,x">three</a>',
  '<a href="vbscript:x" onclick="x()">four</a>',
  '<img src="data:image/svg+xml,x" onerror="x()" alt="five" srcset="data:x 2x">',
  '<form action="javascript:x"><button formaction="javascript:x">six</button></form>',
  "<script>seven()</script><iframe src='https://x.example'></iframe>",
].join("");
const LINK = '<a href="/terms">Terms</a> <a href="https://x.example/a?b=c:d">X</a>';

describe("active content of a page", () => {
  test.each(["html", "markdown"] as const)("is removed from header and footer, as %s", (format) => {
    const html = `<body><header>${ACTIVE}${LINK}</header><main><h1>T</h1>${TEXT}</main><footer>${ACTIVE}${LINK}</footer></body>`;
    const { header, footer } = renderHtml(html, format, URL);
    for (const part of [header, footer]) {
      expect(part).not.toMatch(/script:|data:|onclick|onerror|srcset|seven|iframe/i);
      expect(part).toContain("one");
      expect(part).toContain("six");
      expect(part).toContain("https://x.example/a?b=c:d");
      expect(part).toContain("/terms");
    }
  });

  test.each([
    ["the content", `<article>${TEXT}${ACTIVE}${TEXT}</article>`],
    ["the content of a page that cannot be separated from its header and footer", ACTIVE],
  ])("is removed from %s", (_name, html) => {
    const { body } = renderHtml(`<body>${html}</body>`, "html", URL);
    expect(body).not.toMatch(/script:|data:|onclick|onerror|srcset|seven|iframe/i);
  });
});
