/**
 * Each reader has a line of his own for what he asks, so whoever asks for much waits for himself, and nobody else does. An answer is in memory before
 * anybody can know how long it is, so its work waits too, and not only its sending (untaken-answers.ts).
 */
import pLimit, { type LimitFunction } from "p-limit";
import { LicetError } from "../../errors.ts";

/** Of one reader: half of the places of pages are left to others, and those who wait for one wait behind so few of his. */
const AT_ONCE = 4;
/** Of one reader, for their turn. */
const MAX_WAITING = 64;

/**
 * @param reader the name of the token by which something is asked for, null without one: there are never more readers than tokens
 * @throws LicetError SERVICE_BUSY when too much of the reader waits
 */
export type ReaderLines = (reader: string | null) => LimitFunction;

export function createReaderLines(): ReaderLines {
  const lines = new Map<string | null, LimitFunction>();
  return (reader) => {
    const line = lines.get(reader) ?? pLimit(AT_ONCE);
    if (line.pendingCount >= MAX_WAITING) {
      throw new LicetError("SERVICE_BUSY", `${MAX_WAITING} other requests of the same reader wait for their turn`, {
        hint: "Try again in a few seconds.",
      });
    }
    lines.set(reader, line);
    return line;
  };
}
