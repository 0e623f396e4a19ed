/** When a held page is looked at again (design § Policies, `refresh`). */
export interface RefreshTerms {
  readonly when: "modified" | "always" | "never";
  /** A held version older than this counts as out of date even without a newer `lastMod`; null: never. */
  readonly maxAgeMs: number | null;
}

/** The version of a page that licet holds. */
export interface HeldVersion {
  /** When its content was settled. */
  readonly settledAt: number;
  /** The catalog's `lastMod` it was bought at, raw and parsed. */
  readonly lastMod: string | null;
  readonly lastModAt: number | null;
}

/**
 * Whether a page is worth quoting: it is not held, or the catalog shows a newer version than the one held, or the held
 * one has outlived `maxAgeMs`. The same text is the same version, whatever instant was made of it: a date in the future is taken
 * for the present on each walk, and would be a newer one each time. A `lastMod` that cannot be parsed counts as newer when its
 * text has changed; a missing one says nothing.
 */
export function isWorthQuoting(
  entry: { readonly lastMod: string | null; readonly lastModAt: number | null },
  held: HeldVersion | null,
  terms: RefreshTerms,
  now: number,
): boolean {
  if (held === null || terms.when === "always") {
    return true;
  }
  if (terms.when === "never") {
    return false;
  }
  if (terms.maxAgeMs !== null && now - held.settledAt >= terms.maxAgeMs) {
    return true;
  }
  if (entry.lastMod === null || entry.lastMod === held.lastMod) {
    return false;
  }
  return entry.lastModAt === null || held.lastModAt === null || entry.lastModAt > held.lastModAt;
}
