import { randomBytes } from "node:crypto";

/** The source of ids. It is injected, so that a test or a simulation controls it. */
export interface Ids {
  /** A new run id, such as `run_01jd…`: sortable by time. */
  newRunId(): string;
  /** A new idempotency id for a usage report: never used before, not guessable. */
  newIdempotencyId(): string;
}

/** The random bytes and the time that ids are made of. A test passes its own. */
export interface IdSource {
  randomBytes(count: number): Uint8Array;
  /** epoch ms */
  now(): number;
}

const TIME_DIGITS = 9;

/** @param source default: the machine's randomness and clock */
export function createIds(source: IdSource = { randomBytes, now: () => Date.now() }): Ids {
  const hex = (count: number) => Buffer.from(source.randomBytes(count)).toString("hex");
  return {
    // The time in base 36, padded, sorts in time order until the year 5188.
    newRunId: () => `run_${source.now().toString(36).padStart(TIME_DIGITS, "0")}${hex(5)}`,
    newIdempotencyId: () => `licet-${hex(16)}`,
  };
}
