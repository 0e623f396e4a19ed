/** What the gateway gets of all processes of a world together: requests in flight, and how many began within any second. */
import type { Clock } from "../../src/time/clock.ts";

export interface Traffic {
  /** Called when a request begins. @returns what is called when it has ended */
  begin(): () => void;
  /** @returns what was beyond the limits, as text */
  check(limits: { readonly concurrency: number; readonly requestsPerSecond: number }): readonly string[];
}

const SECOND_MS = 1_000;

export function createTraffic(clock: Pick<Clock, "now">): Traffic {
  const begunAt: number[] = [];
  let [inFlight, mostAtOnce] = [0, 0];
  return {
    begin: () => {
      begunAt.push(clock.now());
      inFlight += 1;
      mostAtOnce = Math.max(mostAtOnce, inFlight);
      return () => {
        inFlight -= 1;
      };
    },
    check: ({ concurrency, requestsPerSecond }) => {
      // One burst of the whole may come on top in any second (decision 0122).
      const mayBegin = requestsPerSecond + Math.max(1, Math.ceil(requestsPerSecond / 20));
      const withinASecond = begunAt.map(
        (from, index) => begunAt.slice(index).filter((at) => at < from + SECOND_MS).length,
      );
      const mostBegun = Math.max(0, ...withinASecond);
      return [
        ...(mostAtOnce > concurrency
          ? [`${mostAtOnce} requests were in flight at once, and ${concurrency} may be`]
          : []),
        ...(mostBegun > mayBegin ? [`${mostBegun} requests began within a second, and ${mayBegin} may`] : []),
      ];
    },
  };
}
