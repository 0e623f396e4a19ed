import type { Intent } from "../../../policy/rule.ts";
import type { DenialReason } from "../../../policy/verdict.ts";
import type { ReadTx } from "../operation.ts";

/** Why a page may not be bought from a plan any more. Null: it may. */
export type PlanGuard = (pageId: number, intent: Intent) => Extract<DenialReason, "already_held" | "in_doubt"> | null;

const NO_PLAN: PlanGuard = () => null;

interface PlanRow {
  readonly digest: Buffer | null;
  readonly after: number | null;
}

/**
 * A plan buys each of its pages once: not again under its own digest, however often, and by however many machines it is applied, nor when the
 * ledger has bought the page behind the last purchase that the making of the plan knew, whatever `refresh` and `inDoubt` say. No instant is
 * compared: the clock that made the plan may be any. A purchase counts that was not released. Called within a write.
 */
export function findPlanGuard(tx: ReadTx, runRowId: number): PlanGuard {
  const plan = tx.get<PlanRow>`SELECT plan_digest AS digest, planned_after AS after FROM run_list WHERE run_id = ${runRowId} AND source = 'plan'`;
  if (plan === undefined) {
    return NO_PLAN;
  }
  return (pageId, intent) => {
    const state = tx.value<string>(
      `SELECT state FROM purchase
       WHERE page_id = @pageId AND intent = @intent AND state <> 'released'
         AND (id > @after OR EXISTS (SELECT 1 FROM run_list l WHERE l.run_id = purchase.run_id AND l.plan_digest = @digest))
       ORDER BY state = 'in_doubt' DESC LIMIT 1`,
      { pageId, intent, ...plan },
    );
    return state === undefined ? null : state === "in_doubt" ? "in_doubt" : "already_held";
  };
}
