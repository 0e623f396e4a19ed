import { AWAY_REFUSAL_MS } from "../time/clock-judgement.ts";
import { parseLastMod } from "./last-mod.ts";

/** When a stored page is quoted again. */
export interface RefreshTerms {
  readonly when: "modified" | "always" | "never";
  /** A stored version older than this is out of date even without a newer `lastMod`. Null: never. */
  readonly maxAgeMs: number | null;
  /** A stored version younger than this is not bought again, whatever the catalog says. Null or absent: no minimum age. */
  readonly minAgeMs?: number | null;
  /** The gateway's time, epoch ms, where our clock is away from it: dates of catalogs and of answers are compared by it. @default null: our clock's */
  readonly gatewayAt?: number | null;
}

/** A catalog's date of a version: its `lastMod`, raw and as epoch ms. Null when it is missing or cannot be parsed. */
export interface CatalogDate {
  readonly lastMod: string | null;
  /** A date in the future counts as now. */
  readonly lastModAt: number | null;
}

/** The stored version of a page, with the `lastMod` at its purchase. */
export interface StoredVersion extends CatalogDate {
  /** When its content was settled. */
  readonly boughtAt: number;
  /** When the request was sent that it answered, by the gateway's clock where ours is away: an answer shows no change that came later. Null: not known. */
  readonly askedAt: number | null;
  /**
   * Of a version that was bought without a date: the first date that its catalog gave after that and that does not say when the page changed. Null:
   * none.
   */
  readonly datedAs: string | null;
  /** When the run that asked for it began: no later than the request. Null: not known. */
  readonly runBegunAt: number | null;
  /** The rights to it ended, and its policy renews them (rights/renewal.ts). @default false */
  readonly isRenewalDue?: boolean;
}

/**
 * Says whether a page is worth a quote: it is not stored, or the catalog shows a newer version than the stored one, or the stored
 * version is older than `maxAgeMs`, or its rights are to be renewed, whatever the catalog says. A stored version younger than `minAgeMs` is
 * never worth one.
 */
export function isWorthQuoting(
  entry: CatalogDate,
  stored: StoredVersion | null,
  terms: RefreshTerms,
  now: number,
): boolean {
  if (stored === null) {
    return true;
  }
  if (isKeptAsItIs(stored, terms, now)) {
    return false;
  }
  if (
    stored.isRenewalDue === true ||
    terms.when === "always" ||
    (terms.maxAgeMs !== null && ageOf(stored, now) >= terms.maxAgeMs)
  ) {
    return true;
  }
  return stored.lastMod === null
    ? isChangedSince(entry, stored, terms.gatewayAt ?? now)
    : isNewerVersion(entry, stored);
}

/**
 * Of a version that was bought without a date, by a list or a fetch: whether the page has changed since says its date alone. A date that does not
 * say when shows a newer version only where the catalog gave another one before.
 */
function isChangedSince(entry: CatalogDate, stored: StoredVersion, now: number): boolean {
  const { datedAs } = stored;
  if (entry.lastMod === null || entry.lastMod === datedAs) {
    return false;
  }
  if (entry.lastModAt !== null && saysWhen(entry)) {
    return !isBoughtAfter(entry.lastModAt, stored, now);
  }
  return datedAs !== null && isNewerVersion(entry, { lastMod: datedAs, lastModAt: parseLastMod(datedAs) });
}

/** False for a date that cannot be read, and for one that lay ahead when it was read. */
export function saysWhen({ lastMod, lastModAt }: CatalogDate): boolean {
  return lastModAt !== null && (parseLastMod(lastMod) ?? lastModAt) <= lastModAt;
}

/** What a notification says of a version: a lower and an upper limit of the instant when the page changed, and its date as a catalog has it. */
export interface NotifiedVersion extends CatalogDate {
  readonly kind: "created" | "updated";
  /** The page changed after this instant, epoch ms. */
  readonly changedAfter: number;
}

/**
 * Says whether a notification makes a page worth a quote: it is not stored, or it changed after the stored version was bought. Stricter than
 * for a walk, because a notification may be late, repeated or forged: `always` and `maxAgeMs` are the walk's matter, and a page that is stored
 * is not bought again because it was created.
 */
export function isWorthQuotingAfter(
  notified: NotifiedVersion,
  stored: StoredVersion | null,
  terms: RefreshTerms,
  now: number,
): boolean {
  if (stored === null) {
    return true;
  }
  if (isKeptAsItIs(stored, terms, now) || notified.kind === "created") {
    return false;
  }
  return isNewerVersion(notified, stored) && !isBoughtAfter(notified.changedAfter, stored, terms.gatewayAt ?? now);
}

/** A version that nothing replaces now: its site asks for none again and its rights are not to be renewed, or the version is too young. */
function isKeptAsItIs(stored: StoredVersion, { when, minAgeMs }: RefreshTerms, now: number): boolean {
  // Without a minimum age, a clock that was set back makes no version too young.
  const leastAgeMs = minAgeMs ?? 0;
  return (when === "never" && stored.isRenewalDue !== true) || (leastAgeMs > 0 && ageOf(stored, now) < leastAgeMs);
}

/**
 * A version that was asked for at or after an instant shows every change before it. An instant of a wrong clock proves nothing. Then the
 * beginning of its run counts: another clock may have recorded that.
 */
export function isBoughtAfter(instant: number, stored: StoredVersion, now: number): boolean {
  const { boughtAt, askedAt, runBegunAt } = stored;
  const shownAt = askedAt ?? boughtAt;
  if (shownAt - now > AWAY_REFUSAL_MS) {
    return runBegunAt !== null && runBegunAt >= instant && runBegunAt - now <= AWAY_REFUSAL_MS;
  }
  return shownAt >= instant;
}

/**
 * The age counts as infinite when a wrong clock recorded the settlement. Otherwise the version would count as young until that
 * date.
 */
function ageOf({ boughtAt }: StoredVersion, now: number): number {
  return boughtAt - now > AWAY_REFUSAL_MS ? Number.POSITIVE_INFINITY : now - boughtAt;
}

/**
 * Says whether a catalog's date means a newer version than another date. The same text is the same version, whatever time was
 * parsed from it. A different text that cannot be parsed counts as newer. A missing date proves nothing. Dates in the future all
 * count as now, so among them only a later text counts as newer. Otherwise each walk would find a newer version.
 */
export function isNewerVersion(entry: CatalogDate, stored: CatalogDate): boolean {
  if (entry.lastMod === null || entry.lastMod === stored.lastMod) {
    return false;
  }
  if (entry.lastModAt === null || stored.lastModAt === null) {
    return true;
  }
  const writtenAt = parseLastMod(entry.lastMod) ?? entry.lastModAt;
  const isInFuture = writtenAt > entry.lastModAt;
  return isInFuture
    ? writtenAt > (parseLastMod(stored.lastMod) ?? stored.lastModAt)
    : entry.lastModAt > stored.lastModAt;
}

/**
 * Says whether a page that a catalog lists twice in one walk has a later date the second time. The newest date counts. A date
 * that cannot be parsed is never later: otherwise two such dates would replace each other for ever.
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
