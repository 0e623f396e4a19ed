/**
 * Says whether the clock of this machine can be right: against the newest rows of the ledger, against the `Date` of the gateway's answers,
 * and against a person's word about it. Everything that compares clocks asks here.
 *
 * A clock that is *behind* the newest rows moves money into a period that is over (docs/decisions/0035). A clock that is *ahead* makes rights
 * end too early. How far a clock is ahead of the rows proves little: a ledger that nobody used for a month has old rows. So the gateway's
 * `Date` decides where it is known, and the rows only where it is not.
 */

/** The clocks of two machines that use one ledger differ, and a clock is corrected now and then. */
export const CLOCK_TOLERANCE_MS = 300_000;
/** A clock that differs so much from the gateway's, or from the clock that made a plan, is worth a warning. */
export const AWAY_WARNING_MS = 60_000;
/** A clock that differs so much is wrong: nothing is done by it that cannot be undone, and what it recorded has no known age. */
export const AWAY_REFUSAL_MS = 3_600_000;
/** Without a `Date` of the gateway, a clock that is further ahead of the newest rows may be wrong. A ledger in daily use is never so old. */
export const LONGEST_GAP_MS = 86_400_000;

/** A person's word that the clock was right at an instant (`--trust-clock`). */
export interface ClockWord {
  /** What the clock said, epoch ms. */
  readonly at: number;
  /** What the gateway's `Date` said then. Null: it was not known. */
  readonly gatewayAt: number | null;
}

export interface ClockEvidence {
  /** What the clock says, epoch ms. */
  readonly now: number;
  /** The instant of the newest rows of the ledger. Null: it has none. */
  readonly latestAt: number | null;
  /** What the gateway's `Date` says. Null: it is not known. */
  readonly gatewayAt: number | null;
  /** The newest word of a person. */
  readonly word: ClockWord | null;
}

/**
 * `agrees`: with the gateway's `Date`, with the word of a person, or, without both, with the rows. `differs`: from the gateway's by a minute
 * or more. `away`: from the gateway's by an hour or more. `ahead`: of the newest rows by more than a day, and nothing else is known.
 */
export type ClockJudgement =
  | { readonly kind: "agrees" }
  | { readonly kind: "differs" | "away"; readonly from: "gateway"; readonly byMs: number; readonly other: number }
  | { readonly kind: "ahead"; readonly from: "rows"; readonly byMs: number; readonly other: number };

/** A judgement by which nothing is done that cannot be undone. */
export type ClockDoubt = Extract<ClockJudgement, { readonly kind: "away" | "ahead" }>;

export function judgeClock({ now, latestAt, gatewayAt, word }: ClockEvidence): ClockJudgement {
  if (gatewayAt !== null) {
    const byMs = now - gatewayAt;
    if (Math.abs(byMs) < AWAY_WARNING_MS || isAsTrusted(byMs, word)) {
      return { kind: "agrees" };
    }
    return { kind: Math.abs(byMs) < AWAY_REFUSAL_MS ? "differs" : "away", from: "gateway", byMs, other: gatewayAt };
  }
  return latestAt !== null && now - latestAt > LONGEST_GAP_MS
    ? { kind: "ahead", from: "rows", byMs: now - latestAt, other: latestAt }
    : { kind: "agrees" };
}

export function isDoubtful(judgement: ClockJudgement): judgement is ClockDoubt {
  return judgement.kind === "away" || judgement.kind === "ahead";
}

/**
 * The instant to compare with dates of the gateway: by a clock that is hours away, a version would look older or newer than it is.
 * @param gatewayAt what the gateway's `Date` says, epoch ms
 */
export function toGatewayTime(now: number, gatewayAt: number): number {
  return Math.abs(now - gatewayAt) < AWAY_REFUSAL_MS ? now : gatewayAt;
}

/** True when the clock is before the newest rows by more than the clocks of two machines differ. */
export function isBehind(now: number, latestAt: number): boolean {
  return now + CLOCK_TOLERANCE_MS < latestAt;
}

/** `the clock of this machine (…) is before the newest rows of the ledger (…)` */
export function describeBehind(now: number, latestAt: number): string {
  return `the clock of this machine (${toInstant(now)}) is before the newest rows of the ledger (${toInstant(latestAt)})`;
}

/** `the clock of this machine (…) is 400 days ahead of the gateway's Date (…)` */
export function describeJudgement(
  now: number,
  judgement: Exclude<ClockJudgement, { readonly kind: "agrees" }>,
): string {
  const { from, byMs, other } = judgement;
  const whose = from === "gateway" ? "the gateway's Date" : "the newest rows of the ledger";
  const way = byMs > 0 ? "ahead of" : "behind";
  return `the clock of this machine (${toInstant(now)}) is ${describeLength(Math.abs(byMs))} ${way} ${whose} (${toInstant(other)})`;
}

/** A person accepted this difference: the gateway's clock was wrong. */
function isAsTrusted(byMs: number, word: ClockWord | null): boolean {
  return word !== null && word.gatewayAt !== null && Math.abs(byMs - (word.at - word.gatewayAt)) < AWAY_REFUSAL_MS;
}

const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1_000],
] as const;

function describeLength(ms: number): string {
  const [name, unitMs] = UNITS.find(([, size]) => ms >= size) ?? ["second", 1_000];
  const count = Math.floor(ms / unitMs);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}

export function toInstant(at: number): string {
  return new Date(at).toISOString();
}
