import { parseLastMod } from "./last-mod.ts";

/**
 * How far ahead of the present a settlement may lie: clocks of several machines differ a little. What lies further ahead was written
 * by a clock that was wrong, and its age is not known.
 */
const CLOCK_TOLERANCE_MS = 3_600_000;

/** When a held page is looked at again (design § Policies, `refresh`). */
export interface RefreshTerms {
  readonly when: "modified" | "always" | "never";
  /** A held version older than this counts as out of date even without a newer `lastMod`; null: never. */
  readonly maxAgeMs: number | null;
  /** A held version younger than this is not bought again, whatever the catalog says. Without it, or with null, each is. */
  readonly minAgeMs?: number | null;
}

/** What a catalog says of a version: its `lastMod`, raw and as epoch ms; null where it is missing or cannot be parsed. */
export interface CatalogDate {
  readonly lastMod: string | null;
  /** A date in the future stands for the present. */
  readonly lastModAt: number | null;
}

/** The version of a page that licet holds, with the `lastMod` that it was bought at. */
export interface HeldVersion extends CatalogDate {
  /** When its content was settled. */
  readonly settledAt: number;
}

/**
 * Whether a page is worth quoting: it is not held, or the catalog shows a newer version than the one held, or the held
 * one has outlived `maxAgeMs`; but never before it is `minAgeMs` old.
 */
export function isWorthQuoting(
  entry: CatalogDate,
  held: HeldVersion | null,
  terms: RefreshTerms,
  now: number,
): boolean {
  if (held === null) {
    return true;
  }
  const ageMs = ageOf(held, now);
  const minAgeMs = terms.minAgeMs ?? 0;
  // Without a least age, a clock that was set back makes nothing too young.
  if (terms.when === "never" || (minAgeMs > 0 && ageMs < minAgeMs)) {
    return false;
  }
  if (terms.when === "always" || (terms.maxAgeMs !== null && ageMs >= terms.maxAgeMs)) {
    return true;
  }
  return isNewerVersion(entry, held);
}

/** Of any age, where a clock that was wrong wrote down when it was settled: else it would stay young until that date. */
function ageOf({ settledAt }: HeldVersion, now: number): number {
  return settledAt - now > CLOCK_TOLERANCE_MS ? Number.POSITIVE_INFINITY : now - settledAt;
}

/**
 * Whether a catalog's date means a version newer than another date does. The same text is the same version, whatever instant was
 * made of it. A text that cannot be parsed counts as newer when it is another one; a missing date says nothing. Of dates in the
 * future, which all stand for the present, only one that is written later is newer: else each walk would find a newer version.
 */
export function isNewerVersion(entry: CatalogDate, held: CatalogDate): boolean {
  if (entry.lastMod === null || entry.lastMod === held.lastMod) {
    return false;
  }
  if (entry.lastModAt === null || held.lastModAt === null) {
    return true;
  }
  const writtenAt = parseLastMod(entry.lastMod) ?? entry.lastModAt;
  const isInFuture = writtenAt > entry.lastModAt;
  return isInFuture ? writtenAt > (parseLastMod(held.lastMod) ?? held.lastModAt) : entry.lastModAt > held.lastModAt;
}

/**
 * Whether a catalog that names a page once more, in the same walk, dates it later than before: of several dates the newest counts. A
 * date that cannot be parsed never outdoes another one, else two of them would take turns.
 */
export function isLaterDate(entry: CatalogDate, known: CatalogDate): boolean {
  if (entry.lastMod === null || entry.lastModAt === null) {
    return entry.lastMod !== null && known.lastMod === null;
  }
  if (known.lastMod === null || known.lastModAt === null) {
    return true;
  }
  const knownAt = parseLastMod(known.lastMod) ?? known.lastModAt;
  return (parseLastMod(entry.lastMod) ?? entry.lastModAt) > knownAt;
}
