/** The newest slots of a schedule, with what their runs cost. */
import type { SlotRecord } from "../../schedule-ledger.ts";
import { desc, eq } from "../engine/drizzle.ts";
import { readSpend } from "../money/read-spend.ts";
import type { Asked } from "../operation.ts";
import { run } from "../schema/runs.ts";
import { slot } from "../schema/schedules.ts";
import { asked, columns, countedPages, type Queries, type ReportTx } from "./queries.ts";

/** Reads: slot by its key, run, tally, balance. */
export function readSlots(tx: ReportTx, query: Asked<"readSlots">): SlotRecord[] {
  return tx.rows(selectSlots, query).map(({ runId, runState, pagesBought, pagesInDoubt, ...row }): SlotRecord => {
    const hasRun = runId !== null && runState !== null;
    return {
      ...row,
      run: hasRun ? { runId, state: runState, pagesBought, pagesInDoubt, spend: readSpend(tx, `run:${runId}`) } : null,
    };
  });
}

const selectSlots = (queries: Queries) =>
  queries
    .select({
      ...columns(slot, "schedule", "slotAt", "state", "detail", "firstAt", "slots", "claimedAt", "endedAt"),
      runId: run.name,
      runState: run.state,
      pagesBought: countedPages(queries, "settled"),
      pagesInDoubt: countedPages(queries, "in_doubt"),
    })
    .from(slot)
    .leftJoin(run, eq(run.id, slot.runId))
    .where(eq(slot.schedule, asked("schedule")))
    .orderBy(desc(slot.slotAt))
    .limit(asked("limit"));
