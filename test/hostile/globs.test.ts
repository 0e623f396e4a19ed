import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob, findGlobProblem } from "../../src/catalog/glob.ts";
import { compilePathGlobs } from "../../src/catalog/path-globs.ts";
import { SEED } from "./hostile-values.ts";
import { createHostileWorld } from "./hostile-world.ts";

/** Far above what a bounded match needs, far below what the number of ways would take. */
const MAX_CPU_MS = 5_000;

const LONG = 4_000;
const SLOW: readonly (readonly [glob: string, path: string])[] = [
  ["/*-*-*.html", `/${"-".repeat(LONG)}`],
  ["/*a*a*a*a*a*b", `/${"a".repeat(LONG)}`],
  ["/**/a/**/a/**/a/**/b", `/${"a/".repeat(LONG / 2)}`],
  ["/{*a*,*aa*}{*a*,*b*}c", `/${"a".repeat(LONG)}`],
  ["/**/*a*/**/*a*/**/*a*b", `/${"aa/".repeat(LONG / 3)}`],
  ["/{*,**}/{*x*,*y*x*}/z", `/${"x/".repeat(LONG / 2)}`],
  [`/${"{*a,*b}".repeat(8)}c`, `/${"a".repeat(LONG)}`],
  ["**/*?*?*?*.pdf", `/${"%C3%A4".repeat(600)}`],
];

test.each(SLOW)("the glob %s refuses a path made against it, at once", (glob, path) => {
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
    expect(await world.run()).toMatchObject({ state: "completed", pages: { excluded: 20, bought: 1 } });
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(MAX_CPU_MS);
    expect(await world.audit()).toEqual([]);
  } finally {
    await world.close();
  }
});

/** Globs out of all that means something in one, and paths that they may match. */
const anyGlob = fc
  .array(
    fc.constantFrom(
      ..."a b / . - ! + @ , .html ä 😀 * ? {a,b} {a,*b,} {a,{b,c}} {*,?a} {,/a} {a/b,c} /** /**/ / /a".split(" "),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `/${parts.join("")}`.replace(/\/{2,}/g, "/"))
  .filter((glob) => findGlobProblem(glob) === null);
const anyPath = fc
  .array(fc.constantFrom(..."a b c / . - ! + , ab aa .html ä 😀".split(" "), "\n"), { maxLength: 10 })
  .map((parts) => `/${parts.join("")}`.replace(/\/{2,}/g, "/"));

test("any glob gives the same result as a matcher that tries every way, only faster", () => {
  let matches = 0;
  fc.assert(
    fc.property(anyGlob, fc.array(anyPath, { minLength: 1, maxLength: 6 }), (glob, paths) => {
      const isMatch = compileGlob(glob, (literal) => literal);
      for (const path of paths) {
        const expected = tryEveryWay(glob, path);
        matches += expected ? 1 : 0;
        expect([glob, path, isMatch(path)]).toEqual([glob, path, expected]);
      }
    }),
    { ...SEED, numRuns: 5_000 },
  );
  expect(matches).toBeGreaterThan(500);
});

/** What the documentation says of globs, tried letter by letter. */
function tryEveryWay(glob: string, path: string): boolean {
  const needsSlash = /[^*]\*(\/\*\*)+$/.test(glob);
  const shorter = glob.endsWith("*") && path.endsWith("/") ? [path.slice(0, -1)] : [];
  return chooseAll(glob).some((one) =>
    [path, ...shorter].some((text) => trySegments(one.split("/"), text.split("/"), needsSlash && text === path)),
  );
}

/** Every choice in the outermost braces first. */
function chooseAll(glob: string): string[] {
  const open = glob.indexOf("{");
  if (open === -1) {
    return [glob];
  }
  const choices = [""];
  let depth = 1;
  let at = open + 1;
  for (; depth > 0; at++) {
    const character = glob[at] ?? "";
    depth += character === "{" ? 1 : character === "}" ? -1 : 0;
    if (character === "," && depth === 1) {
      choices.push("");
    } else if (depth > 0) {
      choices[choices.length - 1] += character;
    }
  }
  return choices.flatMap((choice) => chooseAll(glob.slice(0, open) + choice + glob.slice(at)));
}

function trySegments(glob: readonly string[], path: readonly string[], needsSlash: boolean): boolean {
  const [first, ...others] = glob;
  if (first === undefined) {
    return path.length === 0;
  }
  if (first !== "**") {
    const [segment, ...left] = path;
    const isTaken = segment !== undefined && (segment === "" ? first === "" : tryCharacters([...first], [...segment]));
    return isTaken && trySegments(others, left, needsSlash);
  }
  const isLast = others.every((one) => one === "**");
  const least = needsSlash && isLast ? 1 : 0;
  return Array.from({ length: path.length + 1 }, (_, count) => count).some(
    (count) => count >= least && trySegments(others, path.slice(count), needsSlash && !isLast),
  );
}

function tryCharacters(glob: readonly string[], text: readonly string[]): boolean {
  const [first, ...others] = glob;
  if (first === undefined) {
    return text.length === 0;
  }
  if (first === "*") {
    return Array.from({ length: text.length + 1 }, (_, count) => count).some((count) =>
      tryCharacters(others, text.slice(count)),
    );
  }
  return text.length > 0 && (first === "?" || first === text[0]) && tryCharacters(others, text.slice(1));
}
