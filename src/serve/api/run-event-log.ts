/**
 * The last events of each run at work, numbered, so that a reader who comes late or comes back misses nothing that is still kept. The
 * memory is bounded: an old event gives its place to a new one.
 */
import { AGENT_EVENTS, type AgentEvents } from "../../agent/events/events.ts";
import type { Clock } from "../../time/clock.ts";
import type { LiveRun, RunManager } from "../runs/run-manager.ts";

/** Events that are kept of each run. */
const KEPT_EVENTS = 1_000;
/** For debugging alone, many, and emitted only when somebody listens. */
const LEFT_OUT = "gateway.request";

export interface LoggedEvent {
  /** The log and the number of the event in it, from 1, without gaps: `l5d3k2x9.17`. */
  readonly id: string;
  readonly name: string;
  readonly data: AgentEvents[keyof AgentEvents];
}

export interface RunEventLog {
  readonly run: LiveRun;
  /** The kept events after one, oldest first. All of them for null, and for an event of another log: a run that is resumed has a new one. */
  after(id: string | null): readonly LoggedEvent[];
  /** Called with each event from now on. Returns a function that ends the calls. */
  listen(listener: (event: LoggedEvent) => void): () => void;
}

/** @returns the log of a run that is at work in this service */
export function createRunEventLogs(
  runs: Pick<RunManager, "onStart">,
  clock: Pick<Clock, "now">,
): (runId: string) => RunEventLog | null {
  const logs = new Map<string, RunEventLog>();
  runs.onStart((run) => {
    const log = createLog(run, clock.now().toString(36));
    logs.set(run.runId, log);
    void run.ended.finally(() => {
      // The run may have been resumed by now.
      if (logs.get(run.runId) === log) {
        logs.delete(run.runId);
      }
    });
  });
  return (runId) => logs.get(runId) ?? null;
}

function createLog(run: LiveRun, name: string): RunEventLog {
  const kept: LoggedEvent[] = [];
  const listeners = new Set<(event: LoggedEvent) => void>();
  let last = 0;
  for (const kind of AGENT_EVENTS.filter((known) => known !== LEFT_OUT)) {
    run.events.on(kind as keyof AgentEvents, (data) => {
      last++;
      const event: LoggedEvent = { id: `${name}.${last}`, name: kind, data };
      kept[last % KEPT_EVENTS] = event;
      for (const listener of listeners) {
        listener(event);
      }
    });
  }
  return {
    run,
    after: (id) => {
      const [log, place] = id?.split(".") ?? [];
      const seen = log === name ? Number(place) : 0;
      const first = Math.max(seen, last - KEPT_EVENTS) + 1;
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
        // The place holds exactly this event: no later one has taken it.
        return kept[(first + index) % KEPT_EVENTS] as LoggedEvent;
      });
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
