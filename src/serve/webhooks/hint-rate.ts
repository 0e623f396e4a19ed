/**
 * How many hints a site may have. A signature says nothing about the body, so whoever has seen one delivery can send any number of them.
 * Each site has a store of places that fills with time: a burst may use what is there, then hints come at the rate of filling.
 */
import type { Clock } from "../../time/clock.ts";

export interface HintRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** A publisher who changes all pages at once is slowed down. The delivery records have what is refused. */
export const SITE_HINT_RATE: HintRate = { burst: 600, perSecond: 10 };
/** Notifications of sites that are not configured are recorded for a person to look at. A few an hour are enough. */
export const UNKNOWN_SITE_RATE: HintRate = { burst: 100, perSecond: 0.01 };

const SECOND_MS = 1000;

export interface RateLimiter {
  /** Takes a place. 0: it was there. Otherwise the ms until there is one. */
  take(key: string): number;
}

/** @param keys a key for each configured site, so that the memory is bounded */
export function createRateLimiter({ burst, perSecond }: HintRate, clock: Pick<Clock, "now">): RateLimiter {
  const stores = new Map<string, { places: number; filledAt: number }>();
  return {
    take: (key) => {
      const now = clock.now();
      const store = stores.get(key) ?? { places: burst, filledAt: now };
      stores.set(key, store);
      // A clock that was set back fills nothing, and takes nothing away.
      const passedMs = Math.max(0, now - store.filledAt);
      store.places = Math.min(burst, store.places + (passedMs * perSecond) / SECOND_MS);
      store.filledAt = now;
      if (store.places >= 1) {
        store.places -= 1;
        return 0;
      }
      return ((1 - store.places) * SECOND_MS) / perSecond;
    },
  };
}
