import { compilePathGlobs } from "./path-globs.ts";

/** A site's `include` and `exclude`: globs on the URL's path. */
export interface EntryGlobs {
  /** Empty: everything is included. */
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** Why a page is excluded. Null when it is included. */
export type EntryFilter = (path: string) => null | "not_included" | "excluded";

/** What excludes a page: a glob of `exclude`, with its position from 0, or that no glob of `include` matches. */
export type Exclusion =
  | { readonly kind: "excluded"; readonly glob: string; readonly index: number }
  | { readonly kind: "not_included" };

/** The same decision as that of the filter, with the glob. Slower: it is for one page. */
export function explainExclusion(globs: EntryGlobs, path: string): Exclusion | null {
  const verdict = compileEntryFilter(globs)(path);
  if (verdict !== "excluded") {
    return verdict === null ? null : { kind: verdict };
  }
  const index = globs.exclude.findIndex((glob) => compilePathGlobs([glob], "keep out")(path));
  return { kind: "excluded", glob: globs.exclude[index] ?? "", index };
}

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
