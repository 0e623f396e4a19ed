/** The newest slots of a schedule, with what their runs cost. */
import type { Ledger } from "../../ledger.ts";
import type { SlotRecord } from "../../schedule-ledger.ts";
import { and, desc, eq, sql } from "../engine/drizzle.ts";
import { run } from "../schema/run.ts";
import { slot } from "../schema/slot.ts";
import { tally } from "../schema/tally.ts";
import type { ReportDeps } from "./queries.ts";
import { createSelectSpend } from "./select-spend.ts";

/** Reads: slot by its key, run, tally, balance. */
export function createReadSlots(deps: ReportDeps): Ledger["readSlots"] {
  const { queries, read } = deps;
  const selectSpend = createSelectSpend(deps);
  const select = queries
    .select({
      schedule: slot.schedule,
      slotAt: slot.slotAt,
      state: slot.state,
      detail: slot.detail,
      firstAt: slot.firstAt,
      slots: slot.slots,
      claimedAt: slot.claimedAt,
      endedAt: slot.endedAt,
      runId: run.name,
      runState: run.state,
      pagesAcquired: createCount(deps, "settled"),
      pagesInDoubt: createCount(deps, "in_doubt"),
    })
    .from(slot)
    .leftJoin(run, eq(run.id, slot.runId))
    .where(eq(slot.schedule, sql.placeholder("schedule")))
    .orderBy(desc(slot.slotAt))
    .limit(sql.placeholder("limit"))
    .prepare();
  return (query) =>
    read(() =>
      select.all(query).map(({ runId, runState, pagesAcquired, pagesInDoubt, ...row }): SlotRecord => {
        const hasRun = runId !== null && runState !== null;
        return {
          ...row,
          run: hasRun
            ? { runId, state: runState, pagesAcquired, pagesInDoubt, spend: selectSpend(`run:${runId}`) }
            : null,
        };
      }),
    );
}

function createCount({ queries }: ReportDeps, kind: "settled" | "in_doubt") {
  // Not a join: the counters of a run are one range of their key.
  return sql<number>`${queries
    .select({ pages: sql`coalesce(sum(${tally.count}), 0)` })
    .from(tally)
    .where(and(eq(tally.runId, run.id), eq(tally.kind, kind)))}`;
}
