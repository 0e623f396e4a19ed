/**
 * Globs on the path of a page's URL, such as `/news/**`. Whoever writes one may write `/äpfel/**` or `/%C3%A4pfel/**`: it is matched
 * against what a server may take the path for (path-readings.ts). A `deny` that misses a page by its spelling would buy it.
 */
import { compileGlob } from "./glob.ts";
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
 * Compiles once; matching then costs a bounded number of steps a glob and reading of the path (nearly always one). No globs match
 * nothing.
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

/** As written, and with its escapes decoded once as those of paths are. */
function compileSpellings(glob: string): ((path: string) => boolean)[] {
  const asWritten = compileGlob(glob, (literal) => literal);
  return glob.includes("%")
    ? [asWritten, compileGlob(glob, (literal) => decodeEscapes(literal).normalize("NFC"))]
    : [asWritten];
}
