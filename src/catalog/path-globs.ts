/**
 * Globs on the path of a page's URL, such as `/news/**`. A user may write `/äpfel/**` or `/%C3%A4pfel/**`. The glob is matched
 * with every reading of the path that a server may use (path-readings.ts), because a `deny` that misses a spelling would let the
 * page be bought.
 */
import { compileGlob } from "./glob.ts";
import { readPath } from "./path-readings.ts";
import { decodeEscapes } from "./percent-escapes.ts";

/** Whether a URL's path (from `/`, without query) matches one of the globs. */
export type PathMatcher = (path: string) => boolean;

/**
 * The effect of a match. When a path has more than one reading, `let in` (an `allow`, an `include`) requires a match of each
 * certain reading, and `keep out` (a `deny`, an `exclude`) requires a match of any possible one. In unclear cases nothing is
 * bought.
 */
export type GlobEffect = "let in" | "keep out";

/**
 * Compiles the globs once. A match then takes a bounded number of steps for each glob and reading (nearly always one reading). An
 * empty list matches nothing.
 */
export function compilePathGlobs(globs: readonly string[], effect: GlobEffect): PathMatcher {
  if (globs.length === 0) {
    return () => false;
  }
  const tests = [...new Set(globs.map((glob) => glob.normalize("NFC").replace(/\/{2,}/g, "/")))].flatMap(
    compileSpellings,
  );
  const matches = (reading: string) => tests.some((test) => test(reading));
  return (path) => {
    const { certain, possible } = readPath(path);
    return effect === "let in" ? certain.every(matches) : possible.some(matches);
  };
}

/** Compiles a glob as written, and with its escapes decoded once, as path escapes are. */
function compileSpellings(glob: string): ((path: string) => boolean)[] {
  const asWritten = compileGlob(glob, (literal) => literal);
  return glob.includes("%")
    ? [asWritten, compileGlob(glob, (literal) => decodeEscapes(literal).normalize("NFC"))]
    : [asWritten];
}
