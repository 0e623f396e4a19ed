import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, test } from "vitest";
import { createBoundedTest } from "../../src/catalog/bounded-regex.ts";
import { parseRegex } from "../../src/catalog/parse-regex.ts";
import { compilePathGlobs } from "../../src/catalog/path-globs.ts";
import { readPath } from "../../src/catalog/path-readings.ts";
import { SEED } from "./hostile-values.ts";
import { createHostileWorld } from "./hostile-world.ts";

const OPTIONS = { dot: true, nonegate: true, windows: false, flags: "s" };

/** Far above what a bounded test needs, far below what the number of ways would take. */
const MAX_CPU_MS = 5_000;

const LONG = 4_000;
const SLOW: readonly (readonly [glob: string, path: string])[] = [
  ["/*-*-*.html", `/${"-".repeat(LONG)}`],
  ["/*a*a*a*a*a*b", `/${"a".repeat(LONG)}`],
  ["/**/a/**/a/**/a/**/b", `/${"a/".repeat(LONG / 2)}`],
  ["/+(+(a))b", `/${"a".repeat(LONG)}`],
  ["/*(a|a|aa)b", `/${"a".repeat(LONG)}`],
  ["/@(*a*|*aa*)@(*a*|*b*)c", `/${"a".repeat(LONG)}`],
  ["/{*,**}/{*x*,*y*x*}/z", `/${"x/".repeat(LONG / 2)}`],
  ["/!(*a*a*)b", `/${"a".repeat(LONG)}`],
  ["**/*?*?*?*.pdf", `/${"%C3%A4".repeat(600)}`],
];

test.each(SLOW)("the glob %s says no to a path made against it, at once", (glob, path) => {
  const before = process.cpuUsage();
  expect(compilePathGlobs([glob], "keep out")(path)).toBe(false);
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(MAX_CPU_MS);
});

test("a run over such paths ends, and the others are bought", async () => {
  const [glob, path] = ["/**/*-*-*-*.html", "-".repeat(1_900)];
  const page = "https://news.example/p-a-g-e.html";
  const world = await createHostileWorld({
    pages: [page],
    config: {
      sites: [{ host: "news.example", policy: "standard", include: [glob], exclude: ["/*a*b*c*d*e*f"] }],
      policies: { standard: { rules: [{ deny: { urls: ["/*x*y*z*x*y*z"] } }, { allow: { urls: [glob] } }] } },
    },
  });
  try {
    world.gateway.twists.catalog = (honest) => ({
      pages: [
        ...Array.from({ length: 20 }, (_, index) => ({ pageUrl: `https://news.example/${path}${index}` })),
        ...(honest as { pages: object[] }).pages,
      ],
    });
    const before = process.cpuUsage();
    expect(await world.run()).toMatchObject({ state: "completed", pages: { excluded: 20, acquired: 1 } });
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(MAX_CPU_MS);
    expect(await world.audit()).toEqual([]);
  } finally {
    await world.close();
  }
});

/** Globs out of everything that means something in one. */
const anyGlob = fc
  .array(
    fc.constantFrom(
      ..."a b / . - x".split(" "),
      ..."* ** ? [ab] [!a] [^/b] [a-c] {a,b} {a,*b,} {a,{b,c}} /**/ \\* \\( ( ) | , [ ] ! + @".split(" "),
      ..."@(a|b) ?(a) *(a|b) +(ab|a) !(a) !(a*b) +(*a) @(a|*(b|c)) (a|b) .html ä %20".split(" "),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `root/${parts.join("")}`);
const anyPath = fc
  .array(fc.constantFrom(..."a b c / . - x ab aa .html ä %20 * ( ) ..".split(" "), "\n"), { maxLength: 10 })
  .map((parts) => `root/${parts.join("")}`);

const GLOBS = 2_000;

describe("the bounded test says what JavaScript says", () => {
  test("of any glob and any path", () => {
    let understood = 0;
    fc.assert(
      fc.property(anyGlob, fc.array(anyPath, { minLength: 1, maxLength: 6 }), (glob, paths) => {
        const regex = picomatch.makeRe(glob, OPTIONS);
        understood += parseRegex(regex.source) === null ? 0 : 1;
        const test = createBoundedTest(regex, 0);
        for (const path of [...paths, glob]) {
          expect([glob, path, test(path)]).toEqual([glob, path, regex.test(path)]);
        }
      }),
      { ...SEED, numRuns: GLOBS },
    );
    // What is left to JavaScript is no glob that anyone would write.
    expect(understood / GLOBS).toBeGreaterThan(0.95);
  });

  test("and globs on paths what picomatch says", () => {
    fc.assert(
      fc.property(anyGlob, anyPath, (glob, path) => {
        const [ownGlob, ownPath] = [glob.slice(4), path.slice(4)];
        const expected = picomatch(glob, OPTIONS)(path);
        fc.pre(!ownGlob.includes("%") && !ownGlob.includes("//") && !ownGlob.startsWith("**"));
        // A path that can be read in one way alone.
        fc.pre(readPath(ownPath).possible.join() === ownPath);
        expect([glob, path, compilePathGlobs([ownGlob], "keep out")(ownPath)]).toEqual([glob, path, expected]);
      }),
      { ...SEED, numRuns: 1_000 },
    );
  });

  test("of expressions that it does not understand, too", () => {
    const regex = /^(?<!b)(a)\1\b$/;
    expect(["aa", "ab", "a"].map(createBoundedTest(regex, 0))).toEqual([true, false, false]);
  });
});
