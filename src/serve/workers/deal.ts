/** How the limits of the gateway are divided between the service and its workers. Pure: who may use what is left of it is in shares.ts. */
import type { RequestShare } from "../../gateway/gateway.ts";

/** Of a gateway with room for that, the service keeps so many requests in flight for walks, probes and calls. */
const SERVICE_PLACES = 2;
/** From so many on, the gateway has room for that. */
const ROOMY = 4;

/** What sums of rates may be off by. */
export const TINY = 1e-6;

export const NOTHING: RequestShare = { concurrency: 0, requestsPerSecond: 0, burst: 0 };

/** What a worker can use. */
export interface Want {
  /** Requests in flight. 0: none. */
  readonly places: number;
  /** Where there is too little for all, who has more of it comes first. */
  readonly urgency: number;
}

/**
 * Deals requests in flight, evenly and to nobody more than it wants; what nobody wants is the service's. The rate follows them.
 *
 * In any second there are at most `requestsPerSecond` requests and one burst of the whole. Each process needs a burst of one at least, so where
 * there are more of them than the burst has, their rates make up for it, and what is too little for all is dealt to the most urgent of them.
 * @returns the share of the service, and then those of the workers in their order
 */
export function dealShares(whole: RequestShare, wants: readonly Want[]): readonly RequestShare[] {
  const places = dealPlaces(whole.concurrency, takeMostUrgent(wants, mostSharers(whole) - 1));
  const sharers = places.filter((count) => count > 0).length;
  let bursts = Math.max(whole.burst, sharers);
  const rate =
    whole.requestsPerSecond === null
      ? null
      : Math.min(whole.requestsPerSecond, whole.requestsPerSecond + whole.burst - bursts);
  let left = sharers;
  return places.map((concurrency): RequestShare => {
    if (concurrency === 0) {
      return NOTHING;
    }
    const burst = Math.ceil(bursts / left);
    bursts -= burst;
    left -= 1;
    return {
      concurrency,
      requestsPerSecond: rate === null ? null : roundRate((rate * concurrency) / whole.concurrency),
      burst,
    };
  });
}

/** Down to what can be added and compared. */
export function roundRate(perSecond: number): number {
  return Math.floor((perSecond + TINY / 10) / TINY) * TINY;
}

/** A process without a place or a rate would wait for ever. */
function mostSharers({ concurrency, requestsPerSecond, burst }: RequestShare): number {
  const withPlaces = 1 + concurrency - keptPlaces(concurrency);
  return requestsPerSecond === null
    ? withPlaces
    : Math.min(withPlaces, Math.max(1, burst, Math.floor((requestsPerSecond + burst) / 2)));
}

/** What the service keeps. */
function keptPlaces(concurrency: number): number {
  return Math.min(concurrency, concurrency >= ROOMY ? SERVICE_PLACES : 1);
}

/** The places of those that want something, up to a number of them. The others get nothing. */
function takeMostUrgent(wants: readonly Want[], most: number): readonly number[] {
  const wanting = wants.filter(({ places }) => places > 0).sort((a, b) => b.urgency - a.urgency);
  const taken = new Set(wanting.slice(0, most));
  return wants.map((want) => (taken.has(want) ? want.places : 0));
}

/** @returns the places of the service, and then those of the workers */
function dealPlaces(concurrency: number, wants: readonly number[]): readonly number[] {
  const dealt = wants.map(() => 0);
  let left = concurrency - keptPlaces(concurrency);
  for (let before = -1; before !== left; ) {
    before = left;
    for (const [index, wanted] of wants.entries()) {
      if (left > 0 && (dealt[index] ?? 0) < wanted) {
        dealt[index] = (dealt[index] ?? 0) + 1;
        left -= 1;
      }
    }
  }
  return [concurrency - dealt.reduce((sum, count) => sum + count, 0), ...dealt];
}
