import type { StageEvents } from "../pipeline/stage-deps.ts";
import type { EventBus } from "./events.ts";

/** Warnings kept for the report of a run; more of them would say nothing new. */
const MAX_WARNINGS = 100;

/** Turns what the stages say into the agent's events, and keeps what belongs in the report of the run. */
export function createStageEvents(bus: EventBus): {
  readonly events: StageEvents;
  readonly warnings: readonly string[];
} {
  const warnings = new Set<string>();
  const stopped = new Set<string>();
  const warn = (message: string) => {
    if (warnings.size < MAX_WARNINGS && !warnings.has(message)) {
      warnings.add(message);
      bus.emit("warning", { message });
    }
  };
  return {
    get warnings() {
      return [...warnings];
    },
    events: {
      walked: (event) => bus.emit("walk.page", event),
      decided: (event) => bus.emit("pages.decided", event),
      acquired: (event) => bus.emit("page.acquired", event),
      failed: (event) => bus.emit("page.failed", event),
      doubted: (event) => bus.emit("page.in_doubt", event),
      // Every batch that meets the stop says so; a person wants to hear it once.
      siteStopped: (event) => {
        const key = `${event.host} ${event.stop}`;
        if (!stopped.has(key)) {
          stopped.add(key);
          warnings.add(`${event.host} was stopped (${event.stop}): ${event.detail}`);
          bus.emit("site.stopped", event);
        }
      },
      reported: (event) => bus.emit("usage.reported", event),
      warned: warn,
    },
  };
}
