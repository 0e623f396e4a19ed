import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { RUN_STATES } from "../../run-ledger.ts";
import { isNotNegative, isOneOf } from "./checks.ts";

/** One crawl. `name` is the run id of the port; `id` is what other tables refer to. */
export const run = sqliteTable(
  "run",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    name: text("name").notNull().unique(),
    kind: text("kind", { enum: ["run", "plan"] }).notNull(),
    state: text("state", { enum: RUN_STATES }).notNull(),
    reason: text("reason"),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
    maxPages: integer("max_pages"),
    maxSpendMicros: integer("max_spend_micros"),
    maxSpendCurrency: text("max_spend_currency"),
    deadlineAt: integer("deadline_at"),
    /** Pages approved over all sites, against `max_pages`. */
    approved: integer("approved").notNull().default(0),
    /** The site served last by leaseBatches: the next call goes on behind it. */
    lastSiteId: integer("last_site_id").notNull().default(0),
    /** Every purchase of this run has a greater id: its purchases are found without an index of their own. */
    purchasesAfter: integer("purchases_after").notNull(),
    /** Its working state is gone: reopening walks again. */
    frontierDropped: integer("frontier_dropped").notNull().default(0),
  },
  (t) => [
    check("run_kind", isOneOf(t.kind, ["run", "plan"])),
    check("run_state", isOneOf(t.state, RUN_STATES)),
    check("run_ended", sql`(${t.state} = 'running') = (${t.endedAt} is null)`),
    check("run_max_pages", isNotNegative(t.maxPages)),
    check("run_max_spend", isNotNegative(t.maxSpendMicros)),
    check("run_max_spend_currency", sql`(${t.maxSpendMicros} is null) = (${t.maxSpendCurrency} is null)`),
    check("run_approved", isNotNegative(t.approved)),
    index("run_unfinished").on(t.id).where(sql`kind = 'run' and state in ('running', 'interrupted', 'failed')`),
    index("run_plans").on(t.id).where(sql`kind = 'plan'`),
    index("run_dropping").on(t.id).where(sql`frontier_dropped = 0 and state <> 'running'`),
  ],
);
