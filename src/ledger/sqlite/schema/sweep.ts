import { check, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";

/** How far the gateway's delivery records were read: a single row, made by the first reading. */
export const sweep = sqliteTable(
  "sweep",
  {
    id: integer("id").primaryKey(),
    /** Every record of an attempt up to here was read. NULL before the first complete reading. */
    coveredUntil: integer("covered_until"),
    completedAt: integer("completed_at"),
    /** Totals of all readings. */
    sweeps: integer("sweeps").notNull().default(0),
    records: integer("records").notNull().default(0),
    admitted: integer("admitted").notNull().default(0),
    /** Failures since the last complete reading. */
    failures: integer("failures").notNull().default(0),
    lastError: text("last_error"),
  },
  (t) => [check("sweep_single", sql`${t.id} = 1`)],
);
