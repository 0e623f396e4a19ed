import { SITE_STOPS } from "../../run-ledger.ts";
import { check, integer, primaryKey, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isBoolean, isNotNegative, isOneOf } from "./checks.ts";
import { run } from "./run.ts";
import { site } from "./site.ts";

/** One site's part in a run: where its walk stands (catalog/walk-state.ts) and why it stopped. */
export const runSite = sqliteTable(
  "run_site",
  {
    runId: integer("run_id")
      .notNull()
      .references(() => run.id),
    siteId: integer("site_id")
      .notNull()
      .references(() => site.id),
    position: integer("position").notNull(),
    maxPages: integer("max_pages"),
    fullWalkEveryMs: integer("full_walk_every_ms"),
    overlapMs: integer("overlap_ms").notNull(),
    approved: integer("approved").notNull().default(0),
    walkPageToken: text("walk_page_token"),
    walkPagesRead: integer("walk_pages_read").notNull().default(0),
    walkStopBelowAt: integer("walk_stop_below_at"),
    walkOrdered: integer("walk_ordered").notNull().default(1),
    walkLastAt: integer("walk_last_at"),
    walkNewestAt: integer("walk_newest_at"),
    walkEnded: text("walk_ended", { enum: ["complete", "cut"] }),
    walkWarning: text("walk_warning"),
    /** The quote batch that the next catalog page goes on filling. */
    fillingBatchId: integer("filling_batch_id"),
    /** Pages in quote and acquire batches not yet finished: what bounds the frontier. */
    waitingPages: integer("waiting_pages").notNull().default(0),
    /** Pages per quote batch, as last asked for; used to batch anew when a run is reopened. */
    quoteBatchSize: integer("quote_batch_size").notNull().default(50),
    stop: text("stop", { enum: SITE_STOPS }),
    stopDetail: text("stop_detail"),
    /** JSON object: the currencies in which a budget is used up, each with the budget's label. Pages of other currencies go on. */
    exhausted: text("exhausted").notNull().default("{}"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.siteId] }),
    check("run_site_stop", isOneOf(t.stop, SITE_STOPS)),
    check("run_site_walk_ended", isOneOf(t.walkEnded, ["complete", "cut"])),
    check("run_site_walk_ordered", isBoolean(t.walkOrdered)),
    check("run_site_token_while_walking", sql`${t.walkEnded} is null or ${t.walkPageToken} is null`),
    check("run_site_waiting", isNotNegative(t.waitingPages)),
    check("run_site_approved", isNotNegative(t.approved)),
  ],
);
