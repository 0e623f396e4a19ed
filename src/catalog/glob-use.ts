/** Which globs of a list have matched no path so far. A glob that has matched once is not tried again. */
import { compilePathGlobs } from "./path-globs.ts";

export interface GlobUse {
  /** @param path of a page's URL, from `/`, without query */
  note(path: string): void;
  /** The globs that matched no path, in their order. */
  unused(): readonly string[];
}

/** A glob counts as used when it matches any reading of a path: nobody must be told of a glob that has an effect. */
export function createGlobUse(globs: readonly string[]): GlobUse {
  const waiting = [...new Set(globs)].map((glob) => ({ glob, matches: compilePathGlobs([glob], "keep out") }));
  return {
    note(path) {
      for (let index = waiting.length - 1; index >= 0; index--) {
        if (waiting[index]?.matches(path)) {
          waiting.splice(index, 1);
        }
      }
    },
    unused: () => waiting.map(({ glob }) => glob),
  };
}
