import { compilePathGlobs } from "./path-globs.ts";

/** A site's `include` and `exclude`: globs on the URL's path. */
export interface EntryGlobs {
  /** Empty: everything is included. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Why a page is excluded. Null when it is included. */
export type EntryFilter = (path: string) => null | "not_included" | "excluded";

/** Compiles a site's globs. `exclude` takes precedence over `include`. */
export function compileEntryFilter(globs: EntryGlobs): EntryFilter {
  const isIncluded = globs.include.length === 0 ? () => true : compilePathGlobs(globs.include, "let in");
  const isExcluded = compilePathGlobs(globs.exclude, "keep out");
  return (path) => {
    if (isExcluded(path)) {
      return "excluded";
    }
    return isIncluded(path) ? null : "not_included";
  };
}
