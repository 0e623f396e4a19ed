/**
 * The last events of each run at work, numbered, so that a reader who comes late or comes back misses nothing that is still kept. The
 * memory is bounded: an old event gives its place to a new one.
 */
import { AGENT_EVENTS, type AgentEvents } from "../../agent/events.ts";
import type { LiveRun, RunManager } from "../run-manager.ts";

/** Events that are kept of each run. */
const KEPT_EVENTS = 1_000;
/** For debugging alone, many, and emitted only when somebody listens. */
const LEFT_OUT = "gateway.request";

export interface LoggedEvent {
  /** From 1, without gaps. */
  readonly id: number;
  readonly name: string;
  readonly data: AgentEvents[keyof AgentEvents];
}

export interface RunEventLog {
  readonly run: LiveRun;
  /** The kept events after a number, oldest first. */
  after(id: number): readonly LoggedEvent[];
  /** Called with each event from now on. Returns a function that ends the calls. */
  listen(listener: (event: LoggedEvent) => void): () => void;
}

/** @returns the log of a run that is at work in this service */
export function createRunEventLogs(runs: RunManager): (runId: string) => RunEventLog | null {
  const logs = new Map<string, RunEventLog>();
  runs.onStart((run) => {
    logs.set(run.runId, createLog(run));
    void run.ended.finally(() => logs.delete(run.runId));
  });
  return (runId) => logs.get(runId) ?? null;
}

function createLog(run: LiveRun): RunEventLog {
  const kept: LoggedEvent[] = [];
  const listeners = new Set<(event: LoggedEvent) => void>();
  let lastId = 0;
  for (const name of AGENT_EVENTS.filter((known) => known !== LEFT_OUT)) {
    run.events.on(name as keyof AgentEvents, (data) => {
      lastId++;
      const event: LoggedEvent = { id: lastId, name, data };
      kept[lastId % KEPT_EVENTS] = event;
      for (const listener of listeners) {
        listener(event);
      }
    });
  }
  return {
    run,
    after: (id) => {
      const first = Math.max(id + 1, lastId - KEPT_EVENTS + 1, 1);
      return Array.from({ length: Math.max(0, lastId - first + 1) }, (_, index) => {
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
