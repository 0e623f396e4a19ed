/** Counts what a run has done so far, from the agent's events. */
import type { Agent } from "../agent/agent.ts";
import type { AgentEvents } from "../agent/events.ts";
import { addMicros, type Micros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";

export interface ProgressCounts {
  /** Null until the run has begun. */
  runId: string | null;
  resumed: boolean;
  seen: number;
  approved: number;
  denied: number;
  acquired: number;
  failed: number;
  inDoubt: number;
  usesReported: number;
  /** Charges, by currency. */
  readonly spent: Map<Currency, Micros>;
  /** Quotes of the purchases in doubt. */
  readonly doubtful: Map<Currency, Micros>;
}

export interface ProgressWatch {
  readonly counts: ProgressCounts;
  stop(): void;
}

export function watchCounts(agent: Pick<Agent, "on" | "off">): ProgressWatch {
  const counts: ProgressCounts = {
    runId: null,
    resumed: false,
    seen: 0,
    approved: 0,
    denied: 0,
    acquired: 0,
    failed: 0,
    inDoubt: 0,
    usesReported: 0,
    spent: new Map(),
    doubtful: new Map(),
  };
  const stops = [
    listen(agent, "run.started", ({ runId, resumed }) => {
      counts.runId = runId;
      counts.resumed = resumed;
    }),
    listen(agent, "walk.page", ({ seen }) => {
      counts.seen += seen;
    }),
    listen(agent, "pages.decided", ({ approved, denied }) => {
      counts.approved += approved;
      counts.denied += Object.values(denied).reduce((sum, count) => sum + count, 0);
    }),
    listen(agent, "page.acquired", ({ charged }) => {
      counts.acquired++;
      add(counts.spent, charged);
    }),
    listen(agent, "page.failed", () => {
      counts.failed++;
    }),
    listen(agent, "page.in_doubt", ({ quoted }) => {
      counts.inDoubt++;
      add(counts.doubtful, quoted);
    }),
    listen(agent, "usage.reported", ({ uses }) => {
      counts.usesReported += uses;
    }),
  ];
  return {
    counts,
    stop: () => {
      for (const stop of stops) {
        stop();
      }
    },
  };
}

/** @returns a function that stops listening */
export function listen<Name extends keyof AgentEvents>(
  agent: Pick<Agent, "on" | "off">,
  name: Name,
  listener: (event: AgentEvents[Name]) => void,
): () => void {
  agent.on(name, listener);
  return () => agent.off(name, listener);
}

function add(sums: Map<Currency, Micros>, money: Money | null): void {
  if (money !== null) {
    sums.set(money.currency, addMicros(sums.get(money.currency) ?? ZERO_MICROS, money.micros));
  }
}
