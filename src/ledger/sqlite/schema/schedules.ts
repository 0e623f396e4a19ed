/** Schedules and their slots. */

import { SLOT_STATES } from "../../schedule-ledger.ts";
import { check, index, integer, primaryKey, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { run } from "./runs.ts";

/** A schedule of the configuration as the last service knew it: from when on its slots are owed. Its slots stay when it is removed. */
export const schedule = sqliteTable("schedule", {
  /** `site:<host>` or the name of a task of the service. */
  name: text("name").primaryKey(),
  /** The cron expression with its time zone, or the interval. Another one begins anew: its earlier times were never owed. */
  timing: text("timing").notNull(),
  /** Slots up to this instant are not owed, epoch ms. */
  since: integer("since").notNull(),
});

/** A slot of a schedule: the row decides that it runs once, whatever the queue does. */
export const slot = sqliteTable(
  "slot",
  {
    /** `site:<host>` or the name of a task of the service. */
    schedule: text("schedule").notNull(),
    /** When it was due, epoch ms. */
    slotAt: integer("slot_at").notNull(),
    state: text("state", { enum: SLOT_STATES }).notNull(),
    /** Why it was refused or missed, or how it failed. */
    detail: text("detail"),
    runId: integer("run_id").references(() => run.id, { onDelete: "set null" }),
    /** The service that claimed it. What another one says of an open slot is stale. */
    process: text("process").notNull(),
    /** The first slot that the row stands for, and how many they are: missed ones share the row of the last of them. */
    firstAt: integer("first_at").notNull(),
    slots: integer("slots").notNull(),
    claimedAt: integer("claimed_at").notNull(),
    endedAt: integer("ended_at"),
  },
  (t) => [
    primaryKey({ columns: [t.schedule, t.slotAt] }),
    check("slot_state", isOneOf(t.state, SLOT_STATES)),
    index("slot_by_run").on(t.runId).where(sql`run_id is not null`),
    index("slot_open").on(t.schedule).where(sql`state in ('claimed', 'started')`),
  ],
);
