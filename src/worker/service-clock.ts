import { type Clock, elapsedMs } from "../time/clock.ts";

/** The clock of the service, as a worker knows it: what the worker says of instants then fits what the ledger has, whatever its machine believes. */
export interface ServiceClock extends Clock {
  /** @param now the instant that the service has just named */
  set(now: number): void;
}

/** Certificates are checked by the clock of the machine, and people compare logs. */
const MAX_OFF_MS = 60_000;

/** @param warn gets a sentence, once, when the machine has another time than the service */
export function createServiceClock(machine: Clock, warn: (message: string) => void): ServiceClock {
  let isWarned = false;
  let known = { now: machine.now(), atMs: elapsedMs(machine) };
  return {
    now: () => Math.round(known.now + elapsedMs(machine) - known.atMs),
    elapsed: () => elapsedMs(machine),
    sleep: machine.sleep,
    set: (now) => {
      const offMs = machine.now() - now;
      if (Math.abs(offMs) > MAX_OFF_MS && !isWarned) {
        isWarned = true;
        const seconds = Math.round(Math.abs(offMs) / 1_000);
        warn(
          `the clock of this machine is ${seconds} s ${offMs > 0 ? "ahead of" : "behind"} that of the service: set it right. The ledger has the instants of the service; only this log has others`,
        );
      }
      known = { now, atMs: elapsedMs(machine) };
    },
  };
}
