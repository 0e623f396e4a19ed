/**
 * Globs on the path of a page's URL, such as `/news/**`. Whoever writes one may write `/äpfel/**` or `/%C3%A4pfel/**`, so a
 * path is tried as it stands and decoded. A `deny` that misses a page by its spelling would buy it.
 */
import picomatch from "picomatch";
import { createBoundedTest } from "./bounded-regex.ts";

/** Whether a URL's path (from `/`, without query) matches one of the globs. */
export type PathMatcher = (path: string) => boolean;

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

const ESCAPED_RUN = /(?:%[0-9a-f]{2})+/gi;
const NOT_ASCII = /^[^\p{ASCII}]+$/u;

/**
 * Compiles once; matching then costs one regular expression a glob (two when the path has escapes), in bounded time whatever the
 * path. No globs match nothing.
 */
export function compilePathGlobs(globs: readonly string[]): PathMatcher {
  if (globs.length === 0) {
    return () => false;
  }
  const tests = [...new Set(globs.flatMap(spellGlob))].map(compileGlob);
  const matches = (path: string) => tests.some((test) => test(path));
  return (path) => {
    if (matches(ROOT + path)) {
      return true;
    }
    const decoded = path.includes("%") ? decodeRuns(path) : path;
    return decoded !== path && matches(ROOT + decoded);
  };
}

/** A glob is also what it says, letter by letter: as picomatch has it. */
function compileGlob(glob: string): (path: string) => boolean {
  const test = createBoundedTest(picomatch.makeRe(glob, GLOB_OPTIONS));
  return (path) => path === glob || test(path);
}

/** As written, and with its escapes decoded where that gives letters rather than something that means more in a glob. */
function spellGlob(glob: string): string[] {
  const rooted = ROOT + (glob.startsWith("**") ? `/${glob}` : glob);
  const decoded = rooted.replace(ESCAPED_RUN, (run) => {
    const text = decodeRuns(run);
    return NOT_ASCII.test(text) ? text : run;
  });
  return [rooted, decoded];
}

/** Run by run, so that one that is no UTF-8 does not hide the others. */
function decodeRuns(path: string): string {
  return path.replace(ESCAPED_RUN, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}
