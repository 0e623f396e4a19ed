import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parsePageUrl } from "../../../src/catalog/page-url.ts";
import { compilePathGlobs } from "../../../src/catalog/path-globs.ts";

const HOST = "news.example";

/** The path that rules see of an address as a catalog may write it. */
function pathOf(spelling: string): string {
  const parsed = parsePageUrl(`https://${HOST}${spelling}`, HOST);
  if (!parsed.ok) {
    throw new Error(`refused: ${parsed.reason}`);
  }
  return parsed.pageUrl.path;
}

/** Ways to write `/private/x` that one server or another takes for it. */
const SPELLINGS = [
  "/private/x",
  "//private/x",
  "///private//x",
  "/./private/x",
  "/news/../private/x",
  "/news/%2e%2e/private/x",
  "/news/..%2Fprivate/x",
  "/news/..%2fprivate/x",
  "/news/%2E%2E%2Fprivate/x",
  "/news/..%5Cprivate/x",
  "/news/..%5c..%5cprivate/x",
  "/%2Fprivate/x",
  "/%2F%2Fprivate%2Fx",
  "/private%2Fx",
  "/private%5Cx",
  "\\private\\x",
  "/%70rivate/x",
  "/%70%72%69%76%61%74%65/x",
  "/%2570rivate/x",
  "/%252570rivate/x",
  "/news/%252e%252e/private/x",
  "/news/%252e%252e%252fprivate/x",
  "/private;v=1/x",
  "/private;/x",
  "/;a/private/x",
  "/news/..;/private/x",
  "/news/..;a=b/private/x",
  "/news/%2e%2e;/private/x",
  "/news/..%3B/private/x",
  "/private./x",
  "/private.../x",
  "/private%20/x",
  "/private.%20./x",
  "/news/..%20/private/x",
  "/private/x%00.html",
  "/private%00/x",
  "/pri%00vate/x",
  "/%C0%AFprivate/x",
  "/news/%C0%AE%C0%AE/private/x",
  "/news/..%C0%AFprivate/x",
  "/%u0070rivate/x",
  "/news/..%u002Fprivate/x",
  "/%EF%BD%90%EF%BD%92ivate/x",
  "/news/..%EF%BC%8Fprivate/x",
  "/news/%EF%BC%8E%EF%BC%8E/private/x",
  "/pri%E2%80%8Bvate/x",
  "/pri%C2%ADvate/x",
  "/%ff/../private/x",
  "/private/%ff",
  "/private/%",
  "/private/%zz",
  "/private/%FF%00%2F",
];

describe("a glob that keeps pages out", () => {
  test.each(SPELLINGS)("is not avoided by %s", (spelling) => {
    expect(compilePathGlobs(["/private/**"], "keep out")(pathOf(spelling))).toBe(true);
    expect(compilePathGlobs(["**/private/**"], "keep out")(pathOf(spelling))).toBe(true);
  });

  test.each([
    ["/caf\u00e9/**", "/cafe\u0301/x"],
    ["/cafe\u0301/**", "/caf%C3%A9/x"],
    ["/caf%C3%A9/**", "/cafe%CC%81/x"],
    ["/caf%c3%a9/**", "/%63af%C3%A9/x"],
    ["//private/**", "/private/x"],
    ["/a b/**", "/a%20b/x"],
    ["/a%20b/**", "/a%20b/x"],
    ["/%7Euser/**", "/~user/x"],
    ["/~user/**", "/%7Euser/x"],
    ["/a%2Fb", "/a%2Fb"],
    ["/a/b", "/a%2Fb"],
    ["/100%25/**", "/100%25/x"],
    ["/%ff/**", "/%FF/x"],
  ])("as %s means %s", (glob, spelling) => {
    expect(compilePathGlobs([glob], "keep out")(pathOf(spelling))).toBe(true);
  });

  it.each([
    ["/private/**", "/Private/x"],
    ["/private/**", "/privates/x"],
    ["/private/**", "/news/private/x"],
    ["/private/**", "/news/%2Fprivate/x"],
    ["/%2A", "/anything"],
    ["/%7Ba,b%7D", "/a"],
  ])("does not match other pages: %s and %s", (glob, spelling) => {
    expect(compilePathGlobs([glob], "keep out")(pathOf(spelling))).toBe(false);
  });
});

describe("a glob that lets pages in", () => {
  test.each(SPELLINGS.filter((spelling) => spelling.startsWith("/news/")))("is not reached through %s", (spelling) => {
    expect(compilePathGlobs(["/news/**"], "let in")(pathOf(spelling))).toBe(false);
  });

  test.each([
    ["/news/**", "/news%2Fx", false],
    ["/news/**", "/news%5C..%5Cprivate", false],
    ["/news/**", "/news/AC%2FDC", true],
    ["/news/**", "//news//x", true],
    ["/news/**", "/news/a;v=1", true],
    ["/news/**", "/news/100%25", true],
    ["/wiki/Apple_Inc.", "/wiki/Apple_Inc.", true],
    ["/docs/a;v=1", "/docs/a;v=1", true],
    ["/caf\u00e9/**", "/cafe%CC%81/x", true],
    ["/a b/**", "/a%20b/x", true],
    ["/%2A", "/%2A", true],
    ["/a%2Fb", "/a%2Fb", true],
  ])("as %s on %s: %s", (glob, spelling, matches) => {
    expect(compilePathGlobs([glob], "let in")(pathOf(spelling))).toBe(matches);
  });
});

/** Paths of pieces that are read in many ways. */
const anyPath = fc
  .array(
    fc.constantFrom(
      ..."a b private news / // . .. %2e %2F %5C %25 %00 %20 ; ;v=1 %3B %252e %252F %C0%AF %ff % %c3%a9 %E2%80%8B".split(
        " ",
      ),
    ),
    { maxLength: 10 },
  )
  .map((parts) => `/${parts.join("")}`);
const anyGlob = fc.constantFrom("/private/**", "/news/*", "/**", "/a", "**/b", "/{a,b}/**", "/a%2Fb", "/news/**/a");

describe("for any path", () => {
  test("what lets a page in would keep it out too: an uncertain reading never buys", () => {
    fc.assert(
      fc.property(anyGlob, anyPath, (glob, path) => {
        if (compilePathGlobs([glob], "let in")(path)) {
          expect(compilePathGlobs([glob], "keep out")(path)).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  test("a page that a deny does not match is not in the denied folder, however often it is decoded and resolved", () => {
    const isDenied = compilePathGlobs(["/private/**"], "keep out");
    const decode = (text: string) => {
      try {
        return decodeURIComponent(text);
      } catch {
        return text;
      }
    };
    fc.assert(
      fc.property(anyPath, fc.integer({ min: 0, max: 2 }), fc.boolean(), (path, times, countsRuns) => {
        let read = path;
        for (let count = 0; count < times; count++) {
          read = decode(read);
        }
        const segments: string[] = [];
        for (const segment of read.split(/[\\/]/).slice(1)) {
          if (segment === "..") {
            segments.pop();
          } else if (segment !== "." && (segment !== "" || countsRuns)) {
            segments.push(segment);
          }
        }
        if (segments.find((segment) => segment !== "") === "private") {
          expect(isDenied(path)).toBe(true);
        }
      }),
      {
        numRuns: 3_000,
        examples: [
          ["/private//%2e%2e", 0, false],
          ["/private%2F%2F..%2Fx", 1, true],
        ],
      },
    );
  });
});
