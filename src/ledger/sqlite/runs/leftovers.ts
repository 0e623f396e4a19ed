/** What a crash left behind: frontiers of runs that are over, and plans that nobody works on any more (none of whose leases is alive). */
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { IS_UNFINISHED } from "./run-rows.ts";

const DAY_MS = 86_400_000;

export function createLeftoverClearing(
  parts: LedgerCore & Pick<LedgerParts, "dropFrontier" | "removePlan">,
): (now: number) => Promise<void> {
  const { dropFrontier, removePlan } = parts;
  const selectOver = parts.db
    .prepare<[number], number>(
      // The index `run_dropping` serves the first two conditions.
      // A webhook run may be reopened until its day is over.
      `SELECT id FROM run WHERE frontier_dropped = 0 AND state <> 'running' AND NOT (${IS_UNFINISHED}) AND (key IS NULL OR started_at < ?)`,
    )
    .pluck();
  const selectPlans = parts.db
    .prepare<[number], number>(
      `SELECT id FROM run WHERE kind = 'plan'
       AND NOT EXISTS (SELECT 1 FROM batch b WHERE b.run_id = run.id AND b.state = 'leased' AND b.ready_at > ?)`,
    )
    .pluck();
  return async (now) => {
    for (const runRowId of await parts.read(() => selectOver.all(now - DAY_MS))) {
      await dropFrontier(runRowId);
    }
    for (const planId of await parts.read(() => selectPlans.all(now))) {
      await removePlan(planId);
    }
  };
}

/** Removing a plan: it leaves nothing behind but what it learned of pages. */
export function createPlanDiscard(
  parts: LedgerCore & Pick<LedgerParts, "dropFrontier">,
): (planId: number) => Promise<void> {
  const { dropFrontier } = parts;
  // In the order in which they refer to each other.
  const deletes = [
    "DELETE FROM batch WHERE run_id = ?",
    "DELETE FROM tally WHERE run_id = ?",
    "DELETE FROM rejected_entry WHERE run_id = ?",
    "DELETE FROM run_site WHERE run_id = ?",
    "DELETE FROM run WHERE id = ? AND kind = 'plan'",
  ].map((sql) => parts.db.prepare<[number]>(sql));
  const stopLeasing = parts.db.prepare<[number]>("DELETE FROM batch WHERE run_id = ?");
  return async (planId) => {
    await parts.write(() => stopLeasing.run(planId));
    await dropFrontier(planId);
    await parts.write(() => {
      for (const statement of deletes) {
        statement.run(planId);
      }
      parts.runs.discard();
    });
  };
}

/** Writes: all rows of a plan. Idempotent; a run that is not a plan is left alone. */
export function createDiscardPlan(parts: LedgerParts): Ledger["discardPlan"] {
  const { runRows, removePlan } = parts;
  return async (runId) => {
    const run = await parts.read(() => runRows.find(runId));
    if (run?.kind === "plan") {
      await removePlan(run.id);
    }
  };
}
