import { type Clock, elapsedMs } from "../time/clock.ts";

/** The clock of the service, as a worker knows it: what the worker says of instants then fits what the ledger has, whatever its machine believes. */
export interface ServiceClock extends Clock {
  /** @param now the instant that the service has just named */
  set(now: number): void;
}

export function createServiceClock(machine: Clock): ServiceClock {
  let known = { now: machine.now(), atMs: elapsedMs(machine) };
  return {
    now: () => Math.round(known.now + elapsedMs(machine) - known.atMs),
    elapsed: () => elapsedMs(machine),
    sleep: machine.sleep,
    set: (now) => {
      known = { now, atMs: elapsedMs(machine) };
    },
  };
}
