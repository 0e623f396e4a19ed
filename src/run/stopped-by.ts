/** Who stopped a run, as the abort signal of the run says it. */

/** The reason with which a service aborts its runs: it stops, or the run gives way. A service goes on with what a service stopped. */
export const STOPPED_BY_SERVICE = "the service stopped it";

/** Whoever gives no reason is a person: Ctrl-C, `POST /runs/:id/stop`, a program's own signal. */
export function stoppedBy({ reason }: Pick<AbortSignal, "reason">): "person" | "service" {
  return reason === STOPPED_BY_SERVICE ? "service" : "person";
}
