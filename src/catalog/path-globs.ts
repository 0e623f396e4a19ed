/**
 * Globs on the path of a page's URL, such as `/news/**`. Whoever writes one may write `/äpfel/**` or `/%C3%A4pfel/**`: it is matched
 * against what a server may take the path for (path-readings.ts). A `deny` that misses a page by its spelling would buy it.
 */
import picomatch from "picomatch";
import { createBoundedTest } from "./bounded-regex.ts";
import { readPath } from "./path-readings.ts";
import { decodeEscapes } from "./percent-escapes.ts";

/** Whether a URL's path (from `/`, without query) matches one of the globs. */
export type PathMatcher = (path: string) => boolean;

/**
 * What a match does. Where a path can be read in more than one way, `let in` (an `allow`, an `include`) wants each certain reading to match,
 * `keep out` (a `deny`, an `exclude`) any possible one: in doubt, nothing is bought.
 */
export type GlobEffect = "let in" | "keep out";

/**
 * Names that begin with a dot are nothing special on the web, nor is a leading `!`; a decoded line feed is a character like any
 * other (`s`); and the machine's own path separator must not matter.
 */
const GLOB_OPTIONS = { dot: true, nonegate: true, windows: false, flags: "s" } as const;

/**
 * Put before globs and paths alike: at the start of a text, picomatch does not let a leading `/**` stand for nothing,
 * while after a name it does.
 */
const ROOT = "root";

const MEANS_MORE_IN_GLOBS = /^[\\*?[\]{}()!+@|,^$]$/;

/**
 * Compiles once; matching then costs one regular expression a glob and reading of the path (nearly always one), in bounded time whatever
 * the path. No globs match nothing.
 */
export function compilePathGlobs(globs: readonly string[], effect: GlobEffect): PathMatcher {
  if (globs.length === 0) {
    return () => false;
  }
  const tests = [...new Set(globs.flatMap(spellGlob))].map(compileGlob);
  const matches = (reading: string) => tests.some((test) => test(ROOT + reading));
  return (path) => {
    const { certain, possible } = readPath(path);
    return effect === "let in" ? certain.every(matches) : possible.some(matches);
  };
}

/** A glob is also what it says, letter by letter: as picomatch has it. */
function compileGlob(glob: string): (path: string) => boolean {
  const test = createBoundedTest(picomatch.makeRe(glob, GLOB_OPTIONS));
  return (path) => path === glob || test(path);
}

/**
 * As written, and with its escapes decoded once as those of paths are; a character that means more in a glob then stands for itself. As
 * written, its slashes are those of paths, which have no runs of them.
 */
function spellGlob(glob: string): string[] {
  const rooted = `${ROOT}${glob.startsWith("**") ? "/" : ""}${glob}`.normalize("NFC").replace(/\/{2,}/g, "/");
  const decoded = decodeEscapes(rooted, (text) => (MEANS_MORE_IN_GLOBS.test(text) ? `\\${text}` : text)).normalize(
    "NFC",
  );
  return [rooted, decoded];
}
