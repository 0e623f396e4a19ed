import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { isOneOf } from "./checks.ts";
import { usageBatch } from "./usage-batch.ts";

export const OPEN_ITEM_KINDS = [
  "missing_receipt",
  "surplus_receipt",
  "wrong_total",
  "wrong_currency",
  "rejected_entry",
  "needs_reconcile",
  "overcharged",
  "over_budget_use",
] as const;

/** Something a person has to look at. */
export const openItem = sqliteTable(
  "open_item",
  {
    id: integer("id").primaryKey(),
    kind: text("kind", { enum: OPEN_ITEM_KINDS }).notNull(),
    detail: text("detail").notNull(),
    url: text("url"),
    batchId: integer("batch_id").references(() => usageBatch.id),
    at: integer("at").notNull(),
    closedAt: integer("closed_at"),
  },
  (t) => [
    check("open_item_kind", isOneOf(t.kind, OPEN_ITEM_KINDS)),
    index("open_item_open").on(t.id).where(sql`closed_at is null`),
  ],
);
