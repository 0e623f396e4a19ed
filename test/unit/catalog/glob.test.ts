import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { compileGlob, findGlobProblem } from "../../../src/catalog/glob.ts";

const matches = (glob: string, path: string) => compileGlob(glob, (literal) => literal)(path);

describe("a glob", () => {
  test.each([
    ["* takes any characters of one segment, none too", "/a*b", ["/ab", "/axxb", "/a.b"], ["/a/b", "/axb/", "/Ab"]],
    ["* alone in its segment wants one", "/a/*/b", ["/a/x/b"], ["/a//b", "/a/b", "/a/x/y/b"]],
    ["* at the end lets a slash follow", "/news/*", ["/news/x", "/news/x/"], ["/news", "/news/", "/news/x/y"]],
    ["** takes any number of segments, or none", "/a/**/b", ["/a/b", "/a/x/b", "/a/x/y/b"], ["/ab", "/a/xb", "/a/b/"]],
    ["** at the end takes the folder itself", "/news/**", ["/news", "/news/", "/news/a/b"], ["/newsletter", "/"]],
    ["** at the beginning needs no slash", "**/tag/**", ["/tag", "/a/tag/x"], ["/xtag"]],
    ["** alone takes everything", "**", ["/", "/a", "/a/b/"], []],
    ["** after a segment that ends in * wants a slash", "/*/**", ["/a/", "/a/b", "/a/b/c"], ["/a", "/"]],
    ["? takes one character of a segment", "/a?c", ["/abc", "/a😀c", "/a\nc"], ["/ac", "/a/c", "/abbc"]],
    ["braces take one of their alternatives", "/{a,b*}/x", ["/a/x", "/b1/x"], ["/c/x", "/a,b/x", "/{a,b*}/x"]],
    ["alternatives may be empty", "/a{,s}", ["/a", "/as"], ["/a/", "/ass"]],
    ["alternatives may hold slashes and braces", "/{a/{b,c},d}/**", ["/a/b", "/a/c/x", "/d"], ["/a", "/b", "/c"]],
    ["alternatives may hold **", "{/a/**,/b}/x", ["/a/x", "/a/1/2/x", "/b/x"], ["/b/1/x"]],
    [
      "other characters are themselves",
      "/!a+@b,^$#~.html",
      ["/!a+@b,^$#~.html"],
      ["/xa+@b,^$#~.html", "/!a+@b,^$#~xhtml"],
    ],
    ["names that begin with a dot are nothing special", "/*/x", ["/.well-known/x"], []],
  ])("%s: %s", (_, glob, taken, left) => {
    expect(findGlobProblem(glob)).toBeNull();
    expect(taken.filter((path) => !matches(glob, path))).toEqual([]);
    expect(left.filter((path) => matches(glob, path))).toEqual([]);
  });

  test("without braces means what it means to picomatch", () => {
    const globs = [
      "/a/*",
      "/*/b",
      "/a*",
      "/*.html",
      "/**/a",
      "/a/**",
      "/a/**/b",
      "/*/**",
      "/**/*a*",
      "/a?/*b",
      "/?",
      "/**/a/**/b",
    ];
    const paths = [
      "/",
      "/a",
      "/a/",
      "/b",
      "/ab",
      "/a/b",
      "/a/b/",
      "/ab/b",
      "/x/a/y/b",
      "/.a/x.html",
      "/x.html",
      "/a/x/aab",
      "/xay/",
    ];
    const oracle = (glob: string) => picomatch(`root${glob}`, { dot: true, nonegate: true });
    const answers = (isMatch: (glob: string, path: string) => boolean) =>
      globs.map((glob) => [glob, paths.filter((path) => isMatch(glob, path))]);
    expect(answers(matches)).toEqual(answers((glob, path) => oracle(glob)(`root${path}`)));
  });

  test("never treats an escaped character as a wildcard, and a decoded slash ends a segment", () => {
    const decoded = (glob: string) => compileGlob(glob, decodeURIComponent);
    expect(["/*", "/x"].map(decoded("/%2A"))).toEqual([true, false]);
    expect(["/{a,b}", "/a"].map(decoded("/%7Ba,b%7D"))).toEqual([true, false]);
    expect(["/a/b", "/a/b/c", "/a"].map(decoded("/a%2F*"))).toEqual([true, false, false]);
    expect(["/a(b)[c]|\\"].map(decoded("/a%28b%29%5Bc%5D%7C%5C"))).toEqual([true]);
  });
});

describe("syntax that only other globs have is refused", () => {
  test.each([
    ["/[ab]", "not part of a glob"],
    ["/[!a]", "not part of a glob"],
    ["/a]", "not part of a glob"],
    ["/(a|b)", "not part of a glob"],
    ["/!(a)", "not part of a glob"],
    ["/+(a)", "not part of a glob"],
    ["/@(a|b)/x", "not part of a glob"],
    ["/wiki/Mercury_(planet)", "write its escape, such as %28 for ("],
    ["/a|b", "not part of a glob"],
    ["/\\*", "not part of a glob"],
    ["/{a,b}+", "not part of a glob"],
    ["/{a}", "without alternatives"],
    ["/{1..3}", "without alternatives"],
    ["/{a..c,x}", "without alternatives"],
    ["/{{a,b}}", "without alternatives"],
    ["/{a,b", "without a matching one"],
    ["/a,b}", "without a matching one"],
    ["/}a,b{", "without a matching one"],
    ["/a**", "stands alone between slashes, as in /**/*.pdf"],
    ["**.pdf", "stands alone between slashes"],
    ["/***", "stands alone between slashes"],
    ["/x{**,a}/b", "stands alone between slashes"],
    ["/**{.a,.b}", "stands alone between slashes"],
    ["!/a", "can match no path"],
    ["*.pdf", "can match no path"],
    ["news/**", "can match no path"],
    ["{/a,b}", "can match no path"],
    ["", "can match no path"],
    ["/{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "more than 1000 alternatives"],
  ])("%s", (glob, problem) => {
    expect(findGlobProblem(glob)).toContain(problem);
    expect(() => matches(glob, "/a")).toThrow(problem);
  });

  test("braces contain up to a thousand alternatives, and those on the way are counted too", () => {
    const list = (count: number) => `/{${Array.from({ length: count }, (_, index) => index).join(",")}}`;
    expect(findGlobProblem(list(999))).toBeNull();
    expect(findGlobProblem(list(1_000))).not.toBeNull();
    expect(matches(list(999), "/998")).toBe(true);
  });
});
