/** What a crash left behind: frontiers of runs that are over, and plans that nobody works on any more (none of whose leases is alive). */
import { createFrontierDrop } from "../frontier/frontier-drop.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createPlanDiscard } from "./plan-discard.ts";

export function createLeftoverClearing(core: LedgerCore): (now: number) => Promise<void> {
  const dropFrontier = createFrontierDrop(core);
  const discardPlan = createPlanDiscard(core);
  const selectOver = core.db
    .prepare<[], number>(
      `SELECT id FROM run WHERE frontier_dropped = 0 AND state <> 'running'
       AND (state NOT IN ('interrupted', 'failed') OR taken_over_by IS NOT NULL)`,
    )
    .pluck();
  const selectPlans = core.db
    .prepare<[number], number>(
      `SELECT id FROM run WHERE kind = 'plan'
       AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run_id = run.id AND b.state = 'leased' AND b.ready_at > ?)`,
    )
    .pluck();
  return async (now) => {
    for (const runId of await core.read(() => selectOver.all())) {
      await dropFrontier(runId);
    }
    for (const planId of await core.read(() => selectPlans.all(now))) {
      await discardPlan(planId);
    }
  };
}
