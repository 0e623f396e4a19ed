import { randomBytes } from "node:crypto";

/** Where ids come from. Injected, so that a test or a simulation owns them. */
export interface Ids {
  /** A new run id, such as `run_01jd…`: sortable by time. */
  newRunId(): string;
  /** A new idempotency id for a usage report: never used before, not guessable. */
  newIdempotencyId(): string;
}

/** 16 random bytes and the current time make the ids; a test passes its own. */
export interface IdSource {
  randomBytes(count: number): Uint8Array;
  /** epoch ms */
  now(): number;
}

const TIME_DIGITS = 9;

/** @param source defaults to the machine's randomness and clock */
export function createIds(source: IdSource = { randomBytes, now: () => Date.now() }): Ids {
  const hex = (count: number) => Buffer.from(source.randomBytes(count)).toString("hex");
  return {
    // Base 36 of the time, padded, sorts like the time until the year 5188.
    newRunId: () => `run_${source.now().toString(36).padStart(TIME_DIGITS, "0")}${hex(5)}`,
    newIdempotencyId: () => `licet-${hex(16)}`,
  };
}
