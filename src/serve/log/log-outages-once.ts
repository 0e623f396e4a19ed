/**
 * Several parts notice when a dependency is away: who probes it, the runs, the queue of schedules. The log has one line when the first of them
 * does, and one when the first of them finds it again. The lines of the others are for debugging. A line is about a dependency when its
 * fields say so: `dependency`.
 */
import type { Clock } from "../../time/clock.ts";
import type { LogFields, ServiceLog } from "./service-log.ts";

/** An outage is logged again when a part notices it so much later: nobody may have seen that the first one was over. */
const AGAIN_MS = 3_600_000;

export function logOutagesOnce(log: ServiceLog, clock: Pick<Clock, "now">): ServiceLog {
  const loggedAt = new Map<string, number>();
  const isLogged = (dependency: string) => {
    const at = loggedAt.get(dependency);
    return at !== undefined && Math.abs(clock.now() - at) < AGAIN_MS;
  };
  return {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => {
      const dependency = dependencyOf(fields);
      log[dependency === null || loggedAt.delete(dependency) ? "info" : "debug"](message, fields);
    },
    warn: (message, fields) => {
      const dependency = dependencyOf(fields);
      if (dependency !== null && isLogged(dependency)) {
        log.debug(message, fields);
        return;
      }
      if (dependency !== null) {
        loggedAt.set(dependency, clock.now());
      }
      log.warn(message, fields);
    },
  };
}

function dependencyOf(fields: LogFields | undefined): string | null {
  const dependency = fields?.dependency;
  return typeof dependency === "string" ? dependency : null;
}
