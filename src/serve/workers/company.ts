/**
 * Calls of all workers that come together begin together, so that what they write is one commit. They do not hold up the gateway meanwhile: a worker
 * has more pages under way than requests.
 */
import { createGathering } from "../../ledger/gathering/gathering.ts";
import type { Method } from "../../ledger/messages/calls.ts";
import type { Clock } from "../../time/clock.ts";

/** How long a call waits under load. */
const LOAD_WAIT_MS = 50;

export type MethodOf = (name: string) => Method | null;

/** @returns what has the calls of a port wait for those of all others */
export function createCompany(clock: Pick<Clock, "sleep">): (methodOf: MethodOf) => MethodOf {
  const beginAll = (calls: readonly (() => void)[]) => {
    for (const begin of calls) {
      begin();
    }
  };
  const company = createGathering<() => void>(clock, beginAll, { loadWaitMs: LOAD_WAIT_MS });
  return (methodOf) => (name) => {
    const method = methodOf(name);
    return method === null
      ? null
      : async (...asked) => {
          await new Promise<void>((begin) => company.add(begin));
          return method(...asked);
        };
  };
}
