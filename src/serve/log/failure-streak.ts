/**
 * Work that is tried again and again: the log has a warning for the first of several failures and a line when the work succeeds again, so that
 * an outage of a day is not a day of lines.
 */
import type { LogFields, ServiceLog } from "./service-log.ts";

export interface FailureStreak {
  /** @returns how many failures there are now, one after the other */
  fail(message: string, fields?: LogFields): number;
  succeed(message: string, fields?: LogFields): void;
}

export function createFailureStreak(log: ServiceLog): FailureStreak {
  let failures = 0;
  return {
    fail: (message, fields = {}) => {
      failures += 1;
      log[failures === 1 ? "warn" : "debug"](message, { ...fields, failures });
      return failures;
    },
    succeed: (message, fields = {}) => {
      if (failures > 0) {
        log.info(message, { ...fields, failures });
      }
      failures = 0;
    },
  };
}
