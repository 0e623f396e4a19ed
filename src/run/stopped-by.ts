/** Who stopped a run, as the abort signal of the run says it. */
import type { ActedBy } from "../act/act.ts";

/** The reason with which a service aborts its runs: it stops, or the run gives way. A service goes on with what a service stopped. */
export const STOPPED_BY_SERVICE = "the service stopped it";

/** Whoever stopped a run. A person has a name: `nameStops` (agent/acts) gives it to every signal. */
export interface StoppedBy {
  readonly endedBy: "person" | "service";
  /** Null: a service. */
  readonly who: ActedBy | null;
}

/** Whoever gives no reason is a person: Ctrl-C, `POST /runs/:id/stop`, a program's own signal. */
export function stoppedBy({ reason }: Pick<AbortSignal, "reason">): StoppedBy {
  return reason === STOPPED_BY_SERVICE
    ? { endedBy: "service", who: null }
    : { endedBy: "person", who: isActedBy(reason) ? toActedBy(reason) : null };
}

function toActedBy({ by, reason = null, requestKey }: NamedStop): ActedBy {
  return typeof requestKey === "string" ? { by, reason, requestKey } : { by, reason };
}

interface NamedStop {
  readonly by: string;
  readonly reason?: string | null;
  readonly requestKey?: unknown;
}

/** What a person's program, or a request, aborts with to say who it was. */
export function isActedBy(reason: unknown): reason is NamedStop {
  const { by, reason: why = null } = (reason ?? {}) as Partial<Record<"by" | "reason", unknown>>;
  return typeof by === "string" && by !== "" && (why === null || typeof why === "string");
}
