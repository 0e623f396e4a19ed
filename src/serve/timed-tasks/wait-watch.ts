/**
 * What the service itself waits for, beside its runs: what is not ready, looked at once a minute whether or not somebody asks, and the pauses of
 * the gateway's client. So `licet status` of any process says it, and an alert can be raised of it.
 */
import { WAITS_OF } from "../../agent/waits/wait-of-error.ts";
import { watchRetries } from "../../agent/waits/watch-retries.ts";
import type { DependencyState } from "../process/readiness.ts";
import type { ServiceContext, ServicePart } from "../service-part.ts";
import { createTimedTask } from "./timed-task.ts";

const EVERY_MS = 60_000;

export function createWaitWatch({ resources, config, readiness, bus, log }: ServiceContext): ServicePart {
  const { clock, waits } = resources;
  const note = ({ name, ok, code, detail, hint }: DependencyState) => {
    if (ok) {
      waits.end(null, WAITS_OF[name]);
    } else {
      const place = code === "DISK_FULL" ? "disk" : name;
      waits.begin({ place, runId: null, code, message: detail, hint, until: null });
    }
  };
  const task = createTimedTask({
    name: "look at what the service waits for",
    everyMs: EVERY_MS,
    clock,
    log,
    work: async () => {
      for (const state of await readiness.read()) {
        note(state);
      }
    },
  });
  let stopRetries = () => {};
  return {
    name: task.name,
    start: async () => {
      stopRetries = watchRetries(bus, { waits, clock, runId: null, timeoutMs: config.gateway.timeoutMs });
      await task.start();
    },
    stop: async () => {
      stopRetries();
      await task.stop();
    },
  };
}
