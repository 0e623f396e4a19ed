/** What happens to who tries tokens. Nobody is locked out: a long token cannot be guessed, and a lock would let anybody lock out everybody else. */
import type { Clock } from "../../time/clock.ts";
import type { ServiceLog } from "../log/service-log.ts";

/** Wrong tokens are logged together, once in this time: a program that tries many must not fill the log. */
const LOG_MS = 60_000;
/** The answer to a wrong token of a login waits so long. */
const FIRST_WAIT_MS = 500;
/** And twice as long with each one that already waits, up to this. */
const LONGEST_WAIT_MS = 8_000;
/** So many wait. One more is not answered at once: the one that has waited longest is, because each that waits has a connection. */
const MAX_WAITING = 1_000;

export interface WrongTokens {
  /** To be called for each. */
  count(address: string): void;
  /**
   * Waits before a login is told that its token was wrong. Guesses get slower the more of them come at once. Who has the right token does not wait.
   */
  slowDown(): Promise<void>;
}

export function createWrongTokens(log: ServiceLog, clock: Pick<Clock, "now" | "sleep">): WrongTokens {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let unlogged = 0;
  /** What ends the wait of each, the longest first. */
  const waiting = new Set<AbortController>();
  return {
    count(address) {
      unlogged++;
      const at = clock.now();
      if (Math.abs(at - loggedAt) >= LOG_MS) {
        log.warn("a request with a wrong token was refused", { address, refused: unlogged });
        loggedAt = at;
        unlogged = 0;
      }
    },
    async slowDown() {
      const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waiting.size);
      const [longest] = waiting;
      if (longest !== undefined && waiting.size >= MAX_WAITING) {
        waiting.delete(longest);
        longest.abort();
      }
      const wait = new AbortController();
      waiting.add(wait);
      await clock.sleep(waitMs, wait.signal);
      waiting.delete(wait);
    },
  };
}
