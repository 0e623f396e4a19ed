/** Removing a plan: it leaves nothing behind but what it learned of pages. */
import { createFrontierDrop } from "../frontier/frontier-drop.ts";
import type { LedgerCore } from "../ledger-core.ts";

export function createPlanDiscard(core: LedgerCore): (planId: number) => Promise<void> {
  const dropFrontier = createFrontierDrop(core);
  // In the order in which they refer to each other.
  const deletes = [
    "DELETE FROM batch WHERE run_id = ?",
    "DELETE FROM tally WHERE run_id = ?",
    "DELETE FROM rejected_entry WHERE run_id = ?",
    "DELETE FROM run_site WHERE run_id = ?",
    "DELETE FROM run WHERE id = ? AND kind = 'plan'",
  ].map((sql) => core.db.prepare<[number]>(sql));
  const stopLeasing = core.db.prepare<[number]>("DELETE FROM batch WHERE run_id = ?");
  return async (planId) => {
    await core.write(() => stopLeasing.run(planId));
    await dropFrontier(planId);
    await core.write(() => {
      for (const statement of deletes) {
        statement.run(planId);
      }
      core.runs.discard();
    });
  };
}
