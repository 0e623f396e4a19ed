import { check, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";

/** The lease of the one service of this ledger: a single row, made by the first service. */
export const service = sqliteTable(
  "service",
  {
    id: integer("id").primaryKey(),
    /** Grows with each service that takes the lease: what an earlier one still says is stale. */
    fence: integer("fence").notNull(),
    /** `host:pid` of its process, and where its HTTP interface listens. */
    process: text("process").notNull(),
    url: text("url"),
    startedAt: integer("started_at").notNull(),
    /** NULL when it stopped in order. */
    expiresAt: integer("expires_at"),
  },
  (t) => [check("service_single", sql`${t.id} = 1`)],
);
