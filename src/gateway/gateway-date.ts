/**
 * What the `Date` of the gateway's answers says of the present. A proxy's cached answer has an old `Date`, so the newest one counts, moved on
 * by the time that passed since. An answer counts for a while only: one wrong `Date` must not be believed for as long as a service lives.
 */
import { type Clock, elapsedMs } from "../time/clock.ts";
import { findHeader } from "./exchange.ts";

/** An answer counts for one to two of these times. */
const GENERATION_MS = 600_000;
/** The largest age of a cached answer that is believed, s. */
const MAX_AGE_S = 31_536_000;

export interface GatewayDate {
  /** Takes the `Date` of an answer, if it has one. */
  note(headers: readonly Buffer[]): void;
  /** Epoch ms. Null: no answer of the last minutes had a `Date`. */
  read(): number | null;
}

export function createGatewayDate(clock: Pick<Clock, "now" | "elapsed">): GatewayDate {
  /** How far the newest date of a generation is ahead of the time that has passed. */
  let newest: number | null = null;
  let before: number | null = null;
  let beganAt = elapsedMs(clock);
  let lastText: string | null = null;

  const turn = (at: number): void => {
    const generations = Math.floor((at - beganAt) / GENERATION_MS);
    if (generations !== 0) {
      before = generations === 1 ? newest : null;
      newest = null;
      lastText = null;
      beganAt = at;
    }
  };
  return {
    note: (headers) => {
      const text = findHeader(headers, "date");
      if (text === null) {
        return;
      }
      const at = elapsedMs(clock);
      turn(at);
      // The same second said later is older news. So a page at full speed costs one comparison.
      if (text === lastText) {
        return;
      }
      lastText = text;
      const saidAt = Date.parse(text);
      if (!Number.isNaN(saidAt)) {
        newest = Math.max(newest ?? Number.NEGATIVE_INFINITY, saidAt + readAgeMs(headers) - at);
      }
    },
    read: () => {
      const at = elapsedMs(clock);
      turn(at);
      const ahead = Math.max(newest ?? Number.NEGATIVE_INFINITY, before ?? Number.NEGATIVE_INFINITY);
      return ahead === Number.NEGATIVE_INFINITY ? null : Math.round(ahead + at);
    },
  };
}

/** A cache says how old its answer is. */
function readAgeMs(headers: readonly Buffer[]): number {
  const text = findHeader(headers, "age");
  const seconds = text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0;
  return seconds <= MAX_AGE_S ? seconds * 1_000 : 0;
}
