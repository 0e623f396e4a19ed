/** What a crash left behind: frontiers of runs that are over, and plans in the making that nobody works on any more. */

import { whatBecomes } from "../../../run/what-becomes.ts";
import { dropFrontier } from "../frontier/frontier-drop.ts";
import type { LedgerCore } from "../ledger-core.ts";
import { dropListedPages, REMOVALS_OF_LIST } from "../lists/drop-list.ts";
import type { Asked } from "../operation.ts";
import { findRun, IS_UNFINISHED } from "./run-rows.ts";
import type { LivenessQuery } from "./unfinished-runs.ts";
import { listPlannings } from "./unfinished-runs.ts";

const DAY_MS = 86_400_000;

// The index `run_dropping` serves the first two conditions. A webhook run may be reopened until its day is over.
const SELECT_OVER = `SELECT id FROM run WHERE frontier_dropped = 0 AND state <> 'running' AND NOT (${IS_UNFINISHED}) AND (kind <> 'webhook' OR started_at < ?)`;

/** Drops the frontiers of runs that are over, and removes abandoned plans. Safe to be cut off: the next call does the rest. */
export async function clearLeftovers(core: LedgerCore, worker: LivenessQuery): Promise<void> {
  for (const runRowId of await core.read((tx) => tx.values<number>(SELECT_OVER, worker.now - DAY_MS))) {
    await dropFrontier(core, runRowId);
  }
  for (const run of await core.read((tx) => listPlannings(tx, worker))) {
    if (whatBecomes(run, { by: "clearing" }).what === "removed") {
      await removePlan(core, run.id);
    }
  }
}
const DELETES = [
  "DELETE FROM batch WHERE run_id = ?",
  "DELETE FROM tally WHERE run_id = ?",
  "DELETE FROM rejected_entry WHERE run_id = ?",
  "DELETE FROM run_site WHERE run_id = ?",
  ...REMOVALS_OF_LIST,
  "DELETE FROM run WHERE id = ? AND kind = 'planning'",
];

/** Removing a plan: it leaves nothing behind but what it learned of pages. */
export async function removePlan(core: LedgerCore, planId: number): Promise<void> {
  await core.write((tx) => tx.run`DELETE FROM batch WHERE run_id = ${planId}`);
  await dropFrontier(core, planId);
  await dropListedPages(core, planId);
  await core.write((tx) => {
    for (const sql of DELETES) {
      tx.run(sql, planId);
    }
    tx.runs.discard();
  });
}

/** Writes: all rows of a plan. Idempotent; a run that is not a plan is left alone. */
export async function discardPlan(core: LedgerCore, runId: Asked<"discardPlan">): Promise<void> {
  const run = await core.read((tx) => findRun(tx, runId));
  if (run?.kind === "planning") {
    await removePlan(core, run.id);
  }
}
