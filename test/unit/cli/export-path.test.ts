import { win32 } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportPath } from "../../../src/cli/export/export-path.ts";

const HASH = "~[0-9a-f]{16}";

describe("a plain URL keeps its name", () => {
  test.each([
    ["https://news.example/", "news.example/index.md"],
    ["https://news.example/2026/article", "news.example/2026/article.md"],
    ["https://news.example/2026/", "news.example/2026/index.md"],
    ["https://news.example/a.html", "news.example/a.html.md"],
    ["https://news.example/a-b_c.d", "news.example/a-b_c.d.md"],
  ])("%s", (url, path) => {
    expect(exportPath(url).join("/")).toBe(path);
  });
});

describe("any other URL contains a hash", () => {
  test.each([
    ["a query", "https://news.example/a?b=1", "news\\.example/a"],
    ["an empty query", "https://news.example/a?", "news\\.example/a"],
    ["upper case", "https://news.example/A", "news\\.example/a"],
    ["another scheme", "http://news.example/a", "news\\.example/a"],
    ["a port", "https://news.example:8443/a", "news\\.example_8443/a"],
    ["a literal index", "https://news.example/index", "news\\.example/index"],
    ["an encoded slash", "https://news.example/a%2Fb", "news\\.example/a_b"],
    ["an encoded way up", "https://news.example/..%2f..%2fetc%2fpasswd", "news\\.example/_.*etc_passwd"],
    ["an encoded backslash", "https://news.example/..%5C..%5Cboot", "news\\.example/_.*boot"],
    ["NUL", "https://news.example/a%00b", "news\\.example/a_b"],
    ["a hidden file", "https://news.example/.git", "news\\.example/_git"],
    ["a trailing dot", "https://news.example/a.", "news\\.example/a_"],
    ["a device name", "https://news.example/con", "news\\.example/_con"],
    ["a device name with an extension", "https://news.example/aux.txt", "news\\.example/_aux\\.txt"],
    ["bad percent encoding", "https://news.example/%E0%A4%A", "news\\.example/_e0_a4_a"],
    ["a double slash", "https://news.example/a//b", "news\\.example/a/_/b"],
    ["other letters", "https://news.example/%C3%84rger", "news\\.example/ärger"],
    ["a directory named like a file", "https://news.example/a.md/b", "news\\.example/a\\.md_/b"],
  ])("%s", (_, url, stem) => {
    expect(exportPath(url).join("/")).toMatch(new RegExp(`^${stem}${HASH}\\.md$`));
  });

  test("a long segment is cut at 64 bytes, one of 64 is not", () => {
    expect(exportPath(`https://news.example/${"a".repeat(64)}`).at(-1)).toBe(`${"a".repeat(64)}.md`);
    expect(exportPath(`https://news.example/${"a".repeat(65)}`).at(-1)).toMatch(new RegExp(`^a{64}${HASH}\\.md$`));
  });

  test("depth is at most 8 directories below the host", () => {
    expect(exportPath(`https://news.example/${"d/".repeat(8)}x`)).toHaveLength(10);
    expect(exportPath(`https://news.example/${"d/".repeat(8)}x`).at(-1)).toBe("x.md");
    expect(exportPath(`https://news.example/${"d/".repeat(9)}x`)).toHaveLength(10);
    expect(exportPath(`https://news.example/${"d/".repeat(9)}x`).at(-1)).toMatch(new RegExp(`^x${HASH}\\.md$`));
  });
});

/** URLs out of pieces that hurt. */
const url = fc
  .tuple(
    fc.constantFrom("https://news.example", "http://news.example", "https://[::1]:81", "https://con", "https://.."),
    fc.array(
      fc.oneof(
        fc.constantFrom(
          "..",
          "%2e%2e",
          "%2f",
          "%5c",
          "%00",
          "a",
          "A",
          "con",
          "nul.txt",
          ".",
          "",
          " ",
          "a.md",
          "index",
          "~",
          "x~0123456789abcdef",
          "%u202e",
          "‮",
          "ﬁ",
        ),
        fc.string({ maxLength: 80 }),
      ),
      { maxLength: 14 },
    ),
    fc.option(fc.string({ maxLength: 8 }), { nil: "" }),
  )
  .map(([origin, segments, query]) => `${origin}/${segments.join("/")}${query === "" ? "" : `?${query}`}`)
  .filter((text) => URL.canParse(text))
  .map((text) => {
    const parsed = new URL(text);
    parsed.hash = "";
    return parsed.href;
  });

describe("whatever the URL", () => {
  test("every segment is valid on any file system", () => {
    fc.assert(
      fc.property(url, (text) => {
        for (const segment of exportPath(text)) {
          expect(segment).toMatch(/^[^\s./\\][^\s/\\]*$/u);
          expect(segment).not.toMatch(/[<>:"|?*\p{Cc}\p{Cf}]|\.$/u);
          expect(segment).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
          expect(Buffer.byteLength(segment)).toBeLessThan(110);
        }
      }),
    );
  });

  test("the path stays below the directory, also for Windows", () => {
    fc.assert(
      fc.property(url, (text) => {
        const path = win32.join("C:\\out", ...exportPath(text));
        expect(path.startsWith("C:\\out\\")).toBe(true);
      }),
    );
  });

  test("two URLs never share a file, also where case does not matter, and no file is another one's directory", () => {
    fc.assert(
      fc.property(url, url, (a, b) => {
        fc.pre(a !== b);
        const [one, other] = [exportPath(a), exportPath(b)].map((path) =>
          path.join("/").toLowerCase().normalize("NFC"),
        );
        expect(one).not.toBe(other);
        expect(one?.startsWith(`${other}/`)).toBe(false);
      }),
    );
  });
});
