import { check, index, integer, primaryKey, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { page } from "./page.ts";
import { run } from "./run.ts";

export const FRONTIER_STATES = ["waiting", "quoted", "decided", "unchanged", "excluded"] as const;
export type FrontierState = (typeof FRONTIER_STATES)[number];

/** What a run has seen, page by page: makes each page count once. Working state, dropped when the run ends. */
export const frontier = sqliteTable(
  "frontier",
  {
    runId: integer("run_id")
      .notNull()
      .references(() => run.id),
    pageId: integer("page_id")
      .notNull()
      .references(() => page.id),
    state: text("state", { enum: FRONTIER_STATES }).notNull(),
    /** The quote batch it waits in. */
    batchId: integer("batch_id"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.pageId] }),
    check("frontier_state", isOneOf(t.state, FRONTIER_STATES)),
    check("frontier_batch", sql`${t.batchId} is null or ${t.state} = 'waiting'`),
    index("frontier_waiting").on(t.batchId).where(sql`batch_id is not null`),
  ],
);
