/** What a crash left behind: frontiers of runs that are over, and plans in the making that nobody works on any more. */
import { whatBecomes } from "../../../run/what-becomes.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { LedgerParts } from "../ledger-parts.ts";
import { IS_UNFINISHED } from "./run-rows.ts";
import type { LivenessQuery } from "./unfinished-runs.ts";

const DAY_MS = 86_400_000;

export function createLeftoverClearing(
  parts: LedgerCore & Pick<LedgerParts, "dropFrontier" | "removePlan" | "listPlannings">,
): (worker: LivenessQuery) => Promise<void> {
  const { dropFrontier, removePlan, listPlannings } = parts;
  const selectOver = parts.db
    .prepare<[number], number>(
      // The index `run_dropping` serves the first two conditions.
      // A webhook run may be reopened until its day is over.
      `SELECT id FROM run WHERE frontier_dropped = 0 AND state <> 'running' AND NOT (${IS_UNFINISHED}) AND (kind <> 'webhook' OR started_at < ?)`,
    )
    .pluck();
  return async (worker) => {
    for (const runRowId of await parts.read(() => selectOver.all(worker.now - DAY_MS))) {
      await dropFrontier(runRowId);
    }
    for (const run of await parts.read(() => listPlannings(worker))) {
      if (whatBecomes(run, { by: "clearing" }).what === "removed") {
        await removePlan(run.id);
      }
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
    "DELETE FROM run WHERE id = ? AND kind = 'planning'",
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
    if (run?.kind === "planning") {
      await removePlan(run.id);
    }
  };
}
