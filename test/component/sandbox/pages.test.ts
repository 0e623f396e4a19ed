import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createMarkdownSource } from "../../../src/sandbox/convert/page-source.ts";
import type { SiteSource } from "../../../src/sandbox/options.ts";
import { createListedSite } from "../../../src/sandbox/pages/listed-site.ts";
import { loadSite } from "../../../src/sandbox/pages/load-site.ts";
import { parseSiteArgument } from "../../../src/sandbox/pages/site-argument.ts";
import { createSandboxClock } from "../../../src/sandbox/sandbox-clock.ts";
import { systemClock } from "../../../src/time/clock.ts";

const SITE_DEPS = { clock: createSandboxClock(systemClock), onChange: () => undefined };

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-pages-"));
});
afterEach(() => rm(dir, { recursive: true }));

async function write(path: string, content: string | Buffer): Promise<void> {
  await mkdir(dirname(join(dir, path)), { recursive: true });
  await writeFile(join(dir, path), content);
}

const load = (source: Partial<SiteSource> = {}) =>
  loadSite({ host: "a.example", kind: "directory", dir, ...source } as SiteSource, SITE_DEPS);

describe("a directory", () => {
  test("has a page for each file and for each directory with a source.html", async () => {
    await write("one.html", "<title>One</title><p>One");
    await write("two.htm", "<p>Two");
    await write("deep/three.md", "# Three");
    await write("four/source.html", "<p>Four");
    await write("four/notes.html", "<p>not a page of its own");
    await write("five six/é.md", "# Named");
    await write("picture.png", "no page");
    await write(".hidden.html", "no page");
    await symlink(join(dir, "one.html"), join(dir, "link.html"));
    const site = await load();
    expect(
      site
        .entries(0, 100)
        .map(({ pageUrl }) => pageUrl)
        .sort(),
    ).toEqual([
      "https://a.example/deep/three",
      "https://a.example/five%20six/%C3%A9",
      "https://a.example/four",
      "https://a.example/one",
      "https://a.example/two",
    ]);
    expect(site.find("https://a.example/one")?.render("markdown")).toMatchObject({
      body: "One",
      metadata: { title: "One" },
    });
  });

  test("gives Markdown its front matter", async () => {
    await write(
      "a.md",
      "---\ntitle: Given\nauthor: Ann\npublished: 2026-01-02\nmodified: 2026-01-03\n---\n# Heading\n\nText",
    );
    const site = await load();
    expect(site.entries(0, 1)[0]?.lastMod).toBe("2026-01-03");
    expect(site.find("https://a.example/a")?.render("markdown")).toEqual({
      header: "",
      body: "# Heading\n\nText",
      footer: "",
      metadata: {
        title: "Given",
        author: "Ann",
        published: "2026-01-02",
        modified: "2026-01-03",
        description: "",
        imageUrl: "",
      },
    });
  });

  test.each([
    ["no front matter at all", "# T\n\n---\n\nx: y\n\n---\n", "# T\n\n---\n\nx: y\n\n---"],
    ["YAML that is broken", "---\na: [\n---\n# T", "---\na: [\n---\n# T"],
    ["an empty front matter's text", "---\njust text\n---\n# T", "---\njust text\n---\n# T"],
  ])("leaves a text with %s unchanged", async (_name, text, body) => {
    await write("a.md", text);
    expect((await load()).find("https://a.example/a")?.render("markdown").body).toBe(body);
  });

  test("is refused when it is missing or empty", async () => {
    await expect(load()).rejects.toThrow(/site a\.example: no \.html/);
    await expect(load({ dir: join(dir, "none") } as never)).rejects.toThrow(/site a\.example: ENOENT/);
  });
});

describe("an HTML page", () => {
  const PAGE = (text: string, meta = "") =>
    `<html><head>${meta}<title>T</title></head><body><p>${text}</p></body></html>`;
  const latin1 = (text: string) => Buffer.from(text, "latin1");

  test.each([
    ["UTF-8 that says nothing", Buffer.from(PAGE("Grüße")), "Grüße"],
    ["UTF-8 that says it is gb2312", Buffer.from(PAGE("Grüße", '<meta charset="gb2312">')), "Grüße"],
    ["windows-1252 that says nothing", latin1(PAGE("Gr\xfc\xdfe \x93a\x94")), "Grüße “a”"],
    [
      "UTF-8 that says so, with bad bytes",
      Buffer.concat([
        Buffer.from('<meta charset="utf-8"><p>Grüße '),
        Buffer.from([0xff, 0xc3, 0xa0, 0xed, 0xa0]),
        latin1("."),
      ]),
      "Grüße \ufffdà\ufffd\ufffd.",
    ],
    ["windows-1252 with an accidental character of UTF-8", latin1("<p>\xc3\xbc \xfc\xe4\xf6"), "Ã¼ üäö"],
    [
      "an encoding in http-equiv",
      latin1(PAGE("\xc3\xf0", '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">')),
      "Гр",
    ],
    [
      "Shift_JIS",
      Buffer.concat([latin1('<meta charset="Shift_JIS"><p>'), Buffer.from([0x93, 0xfa, 0x96, 0x7b])]),
      "日本",
    ],
    [
      "a byte order mark of UTF-16",
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(PAGE("Grüße"), "utf16le")]),
      "Grüße",
    ],
    [
      "a byte order mark of UTF-8",
      Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(PAGE("Grüße"))]),
      "Grüße",
    ],
    ["an encoding that nobody knows", latin1(PAGE("Gr\xfc\xdfe", '<meta charset="klingon">')), "Grüße"],
    [
      "an encoding named in a comment only",
      latin1(PAGE("Gr\xfc\xdfe", '<!-- <meta charset="windows-1251"> -->')),
      "Grüße",
    ],
  ])("in %s is decoded correctly", async (_name, bytes, text) => {
    await write("a.html", bytes);
    expect((await load()).find("https://a.example/a")?.render("markdown").body).toBe(text);
  });

  test("is split into header, body and footer, and shows its metadata", async () => {
    const site = await loadSite({ host: "demo.example", kind: "demo" }, SITE_DEPS);
    const [entry] = site.entries(0, 1);
    const page = site.find(entry?.pageUrl ?? "");
    const { header, body, footer, metadata } = page?.render("markdown") ?? {};
    expect(header).toContain("[Science](/science)");
    expect(body).toMatch(/\| Year \| Measured \| Change \|\n\| --- \| --- \| --- \|\n\| 2021 \|/);
    expect(body).toMatch(/^- {3}\S/m);
    expect(body).toMatch(/!\[harbour bridge\]\(https:\/\/demo\.example\/images/);
    expect(body).not.toContain("Terms");
    expect(body).not.toContain("Science]");
    expect(footer).toContain("[Terms](/terms)");
    expect(metadata).toMatchObject({
      title: "Harbour bridge: what changed this year",
      author: expect.stringMatching(/^\w+ \w+$/),
      description: expect.stringMatching(/./),
      imageUrl: "https://demo.example/images/harbour-bridge.jpg",
      published: "2026-01-15T09:00:00.000Z",
      modified: "2026-01-15T09:00:00.000Z",
    });
    expect(page?.render("html").body).toContain("<table>");
  });

  test.each([
    ["empty", ""],
    ["no HTML at all", "plain text"],
    ["nothing but navigation", "<nav><a href=/>Home</a></nav>"],
    ["deeply nested", `${"<div>".repeat(2_000)}deep${"</div>".repeat(2_000)}`],
    ["a cell as wide as the world", "<table><tr><th>a<tr><td colspan=1e9>x<td colspan=999999999>y</table>"],
    ["full of open tags", "<table><tr><td><b><i>x<table><p></b>"],
  ])("that is %s is served too", async (_name, html) => {
    await write("a.html", html);
    const page = (await load()).find("https://a.example/a");
    for (const format of ["markdown", "html"] as const) {
      expect(page?.render(format).body).toEqual(expect.any(String));
    }
  });
});

test("the demo site has sixty pages or more, the same each time, all readable", async () => {
  const [one, two] = [
    await loadSite({ host: "d.example", kind: "demo" }, SITE_DEPS),
    await loadSite({ host: "d.example", kind: "demo" }, SITE_DEPS),
  ];
  const entries = one.entries(0, 1_000);
  expect(entries.length).toBeGreaterThanOrEqual(60);
  expect(two.entries(0, 1_000)).toEqual(entries);
  for (const { pageUrl } of entries.filter((_, index) => index % 9 === 0)) {
    const page = one.find(pageUrl)?.render("markdown");
    expect(page).toEqual(two.find(pageUrl)?.render("markdown"));
    expect(page?.body.length).toBeGreaterThan(1_500);
  }
});

describe("entries of a catalog", () => {
  test("are one page each, though listed twice, and found under any equal spelling of the URL", () => {
    const source = createMarkdownSource("# A", {});
    const pages = ["HTTPS://A.example:443", "https://a.example/"].map((url) => ({ url, lastMod: undefined, source }));
    const site = createListedSite({
      host: "a.example",
      pages,
      order: "lastMod",
      indexing: true,
      toListedPage: () => pages[0] as never,
    });
    expect(site.entryCount).toBe(2);
    expect(site.find("https://a.example/")?.url).toBe("HTTPS://A.example:443");
    expect(site.find("https://a.example/#part")).toBeUndefined();
  });
});

describe("a site argument", () => {
  test.each([
    ["news.example=./pages", { host: "news.example", kind: "directory", dir: "./pages" }],
    ["News.example", { host: "news.example", kind: "demo" }],
    ["news.example=demo", { host: "news.example", kind: "demo" }],
    ["big.example=synthetic:1000", { host: "big.example", kind: "synthetic", pages: 1_000 }],
    ["big.example=synthetic:10/99", { host: "big.example", kind: "synthetic", pages: 10, bodyBytes: 99 }],
    ["a.example:81=/x=y", { host: "a.example:81", kind: "directory", dir: "/x=y" }],
    ["Bücher.example=./pages", { host: "xn--bcher-kva.example", kind: "directory", dir: "./pages" }],
    ["例え.jp", { host: "xn--r8jz45g.jp", kind: "demo" }],
  ])("%s is accepted", (text, expected) => {
    expect(parseSiteArgument(text)).toEqual(expected);
  });

  test.each([
    "",
    "=./pages",
    "news.example=",
    "https://news.example",
    "a b",
    "a@b.example",
    "a.example=synthetic:many",
  ])("%j is refused", (text) => {
    expect(() => parseSiteArgument(text)).toThrow(/^site "/);
  });
});
