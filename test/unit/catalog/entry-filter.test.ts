import { describe, expect, it } from "vitest";
import { compileEntryFilter } from "../../../src/catalog/entry-filter.ts";

describe("compileEntryFilter", () => {
  it("includes everything without a glob", () => {
    const filter = compileEntryFilter({ include: [], exclude: [] });
    expect(filter("/")).toBeNull();
    expect(filter("/any/thing")).toBeNull();
  });

  it("leaves out what no glob includes", () => {
    const filter = compileEntryFilter({ include: ["/2026/**", "/about"], exclude: [] });
    expect(filter("/2026/11/story")).toBeNull();
    expect(filter("/about")).toBeNull();
    expect(filter("/2025/11/story")).toBe("not_included");
    expect(filter("/20260/x")).toBe("not_included");
  });

  it("excludes even what is included", () => {
    const filter = compileEntryFilter({ include: ["/2026/**"], exclude: ["/**/tag/**"] });
    expect(filter("/2026/tag/x")).toBe("excluded");
    expect(filter("/tag/x")).toBe("excluded");
    expect(filter("/2026/story")).toBeNull();
  });

  it.each([
    ["/news/*", "/news/a", true],
    ["/news/*", "/news/a/b", false],
    ["/news/**", "/news", true],
    ["/news/**", "/news/", true],
    ["/news/**", "/news/.hidden/x", true],
    ["**", "/", true],
    ["/**/*.html", "/a/b.html", true],
    ["/{a,b}/**", "/b/x", true],
    ["/News/**", "/news/x", false],
    ["/!draft/**", "/x", false],
    ["/caf%C3%A9/**", "/caf%C3%A9/x", true],
    ["/café/**", "/caf%C3%A9/x", true],
    ["/a b/**", "/a%20b/x", true],
    ["/100%/**", "/100%/x", true],
    ["/café/**", "/caf%c3%a9/%0A", true],
    ["/café/**", "/caf%C3%A9/%ff", true],
    ["/caf%C3%A9/**", "/caf%c3%a9/x", true],
    ["/**/tag/**", "/tag/x", true],
    ["/**/*.pdf", "/a.pdf", true],
    ["/**/*.pdf", "/a/b/c.pdf", true],
    ["**/tag/**", "/a/tag/x", true],
    ["/**/tag", "/xtag", false],
    ["/a/**/b", "/a/b", true],
    ["/**", "/", true],
    ["/", "/", true],
    ["/%2A", "/anything", false],
    ["/x/**", "/%ff/x", false],
    ["/%ff/**", "/%ff/x", true],
  ])("the glob %s on %s: %s", (glob, path, matches) => {
    expect(compileEntryFilter({ include: [glob], exclude: [] })(path)).toBe(matches ? null : "not_included");
    expect(compileEntryFilter({ include: [], exclude: [glob] })(path)).toBe(matches ? "excluded" : null);
  });
});
