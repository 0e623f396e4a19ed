/**
 * Globs on the path of a page's URL, such as `/news/**`. A path is tried as it stands and, where it can be decoded, decoded:
 * whoever writes a glob may write `/äpfel/**` or `/%C3%A4pfel/**`.
 */
import picomatch from "picomatch";

/** Whether a URL's path (from `/`, without query) matches one of the globs. */
export type PathMatcher = (path: string) => boolean;

/** Names that begin with a dot are nothing special on the web, nor is a leading `!`; and the machine must not matter. */
const GLOB_OPTIONS = { dot: true, nonegate: true, windows: false } as const;

/** Compiles once; matching then costs one regular expression (two when the path has escapes). No globs match nothing. */
export function compilePathGlobs(globs: readonly string[]): PathMatcher {
  if (globs.length === 0) {
    return () => false;
  }
  const matches = picomatch([...globs], GLOB_OPTIONS);
  return (path) => {
    if (matches(path)) {
      return true;
    }
    const decoded = decodePath(path);
    return decoded !== path && matches(decoded);
  };
}

function decodePath(path: string): string {
  if (!path.includes("%")) {
    return path;
  }
  try {
    return decodeURIComponent(path);
  } catch {
    // Bytes that are no UTF-8: the page keeps its raw spelling.
    return path;
  }
}
