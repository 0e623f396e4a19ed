import type { PlanOverview } from "./plan-list.ts";

/** Somebody approved it; a run buys from it without an approval; it cannot be bought; or nobody has said anything yet. */
export type PlanStanding = "approved" | "has_run" | "refused" | "to_approve";

export function planStanding({ runs, refused }: Pick<PlanOverview, "runs" | "refused">): PlanStanding {
  if (runs.length > 0) {
    return runs.some(({ approvedAt }) => approvedAt !== null) ? "approved" : "has_run";
  }
  return refused === null ? "to_approve" : "refused";
}
