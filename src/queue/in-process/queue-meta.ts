import type { QueueState } from "./queue-state.ts";
import { refuseOperation } from "./refuse-operation.ts";

const MAX_EVENTS_FIELD = "opts.maxLenEvents";
const RATE_LIMIT_FIELDS = ["max", "duration"];

/**
 * Sets what BullMQ keeps about a queue as a whole: its global concurrency, how many events stay, its version.
 * @throws LicetError CONFIG_INVALID for a global rate limit
 */
export function setMeta(state: QueueState, values: Readonly<Record<string, string | number>>): number {
  if (RATE_LIMIT_FIELDS.some((field) => field in values)) {
    refuseOperation("setGlobalRateLimit (rate limits)");
  }
  for (const [field, value] of Object.entries(values)) {
    state.meta.set(field, String(value));
    if (field === MAX_EVENTS_FIELD) {
      state.events.setMaxEvents(Number(value));
    }
  }
  return Object.keys(values).length;
}

/** @returns how many of the fields were there */
export function removeMeta(state: QueueState, fields: readonly string[]): number {
  return fields.filter((field) => state.meta.delete(field)).length;
}

/** A paused queue takes jobs in and gives none out. */
export function setPaused(state: QueueState, isPaused: boolean): void {
  if (isPaused) {
    state.meta.set("paused", "1");
    state.marker.clear();
    state.events.append("paused");
    return;
  }
  state.meta.delete("paused");
  if (state.places.wait.size + state.places.prioritized.size > 0) {
    state.marker.markJobReady();
  } else {
    state.markNextDelayed();
  }
  state.events.append("resumed");
}
