import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { createPlanDiscard } from "./plan-discard.ts";
import { createRunRows } from "./run-rows.ts";

/** Writes: all rows of a plan. Idempotent; a run that is not a plan is left alone. */
export function createDiscardPlan(core: LedgerCore): Ledger["discardPlan"] {
  const rows = createRunRows(core.db);
  const discard = createPlanDiscard(core);
  return async (runId) => {
    const run = await core.read(() => rows.find(runId));
    if (run?.kind === "plan") {
      await discard(run.id);
    }
  };
}
