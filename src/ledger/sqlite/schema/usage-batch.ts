import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { blob, check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";

export const USAGE_BATCH_STATES = ["frozen", "settled", "rejected", "needs_reconcile"] as const;

/** A frozen report: these bytes under this id, until an answer settles them (promise 5). */
export const usageBatch = sqliteTable(
  "usage_batch",
  {
    id: integer("id").primaryKey(),
    idempotencyId: text("idempotency_id").notNull().unique(),
    /** sha256 of the body: a changed body under an old id is caught as a bug. */
    bodyHash: blob("body_hash", { mode: "buffer" }).notNull(),
    state: text("state", { enum: USAGE_BATCH_STATES }).notNull(),
    /** The rejected batch that it is a half of. */
    parentId: integer("parent_id").references((): AnySQLiteColumn => usageBatch.id),
    attempts: integer("attempts").notNull().default(0),
    firstAttemptAt: integer("first_attempt_at"),
    /** Attempts that may have arrived and whose answer is not known, and since when there is one. */
    unknownAttempts: integer("unknown_attempts").notNull().default(0),
    unknownSince: integer("unknown_since"),
    notBefore: integer("not_before").notNull().default(0),
    detail: text("detail"),
    createdAt: integer("created_at").notNull(),
    closedAt: integer("closed_at"),
    /** Last, so that reading any other column does not walk through its overflow pages. */
    body: blob("body", { mode: "buffer" }).notNull(),
  },
  (t) => [
    check("usage_batch_state", isOneOf(t.state, USAGE_BATCH_STATES)),
    check("usage_batch_attempts", isNotNegative(t.attempts)),
    check("usage_batch_first_attempt", sql`(${t.attempts} = 0) = (${t.firstAttemptAt} is null)`),
    check("usage_batch_closed", sql`(${t.state} = 'frozen') = (${t.closedAt} is null)`),
    // Queries name the states just so, else SQLite does not see that the index covers them.
    index("usage_batch_open").on(t.id).where(sql`state in ('frozen', 'needs_reconcile')`),
    index("usage_batch_halves").on(t.parentId).where(sql`parent_id is not null`),
  ],
);
