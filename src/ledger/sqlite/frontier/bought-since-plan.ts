import type { Intent } from "../../../policy/rule.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { Connection } from "../engine/connection.ts";

/** Why a page may not be bought from a plan any more. Null: it may. */
export type PlanGuard = (pageId: number, intent: Intent) => Extract<DenialReason, "already_held" | "in_doubt"> | null;

const NO_PLAN: PlanGuard = () => null;

/**
 * A plan buys each of its pages once: not again when the plan is applied twice, nor when another run has bought the page since the plan was
 * made, whatever `refresh` and `inDoubt` say. A purchase counts that was decided or ended since then, and was not released. Called within a write.
 */
export function createPlanGuards(db: Connection): (runRowId: number) => PlanGuard {
  const selectPlannedAt = db
    .prepare<[number], number | null>("SELECT planned_at FROM run_list WHERE run_id = ?")
    .pluck();
  const selectBought = db
    .prepare<{ pageId: number; intent: Intent; plannedAt: number }, string>(
      `SELECT state FROM purchase
       WHERE page_id = @pageId AND intent = @intent AND state <> 'released'
         AND (reserved_at >= @plannedAt OR ended_at >= @plannedAt)
       ORDER BY state = 'in_doubt' DESC LIMIT 1`,
    )
    .pluck();
  return (runRowId) => {
    const plannedAt = selectPlannedAt.get(runRowId) ?? null;
    if (plannedAt === null) {
      return NO_PLAN;
    }
    return (pageId, intent) => {
      const state = selectBought.get({ pageId, intent, plannedAt });
      return state === undefined ? null : state === "in_doubt" ? "in_doubt" : "already_held";
    };
  };
}
