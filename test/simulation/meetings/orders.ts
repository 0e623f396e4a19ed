/**
 * A run keeps the order that it was called with, through all who go on with it, until a person names another one. A new run that does the work of an
 * earlier one may keep the order of that one.
 */
import type { Violation } from "../checks/evidence.ts";
import type { World } from "../world.ts";

export function judgeOrders({ beginnings, judgesRows }: World): Violation | null {
  const orders = new Map<string, string>();
  /** A restored copy has an order that its run had before. */
  const everOf = new Map<string, string[]>();
  for (const { runId, process, call, spec, resumed, takenOver } of beginnings) {
    const own = resumed
      ? [orders.get(runId) ?? call.order, ...(judgesRows ? [] : (everOf.get(runId) ?? []))]
      : [call.order, ...takenOver.map((name) => orders.get(name))];
    const allowed = spec.kind === "plan" ? ["catalog"] : call.callerOrder === null ? own : [call.callerOrder];
    if (!allowed.includes(spec.order)) {
      const detail = `${process} buys for run ${runId} in the order ${spec.order}, and ${allowed[0]} was asked for`;
      return { promise: 2, rule: "order-is-kept", detail };
    }
    orders.set(runId, spec.order);
    everOf.set(runId, [...(everOf.get(runId) ?? []), spec.order]);
  }
  return null;
}
