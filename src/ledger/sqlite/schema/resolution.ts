import { check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";
import { openItem } from "./open-item.ts";
import { purchase } from "./purchase.ts";
import { usageBatch } from "./usage-batch.ts";

export const RESOLUTION_OUTCOMES = ["charged", "not_charged", "taken", "not_taken", "closed"] as const;

/** By hand, by an answer that came after all, or by itself: it was to cost nothing. */
export const RESOLUTION_SOURCES = ["operator", "late_answer", "nothing_to_charge"] as const;

/** A person's word, or a late answer, on one purchase in doubt, one report to reconcile, or one open item. Only ever added to. */
export const resolution = sqliteTable(
  "resolution",
  {
    id: integer("id").primaryKey(),
    purchaseId: integer("purchase_id").references(() => purchase.id),
    usageBatchId: integer("usage_batch_id").references(() => usageBatch.id),
    openItemId: integer("open_item_id").references(() => openItem.id),
    outcome: text("outcome", { enum: RESOLUTION_OUTCOMES }).notNull(),
    /** Charge and fee together; 0 for a report or an item. */
    amountMicros: integer("amount_micros").notNull(),
    currency: text("currency"),
    source: text("source", { enum: RESOLUTION_SOURCES }).notNull(),
    at: integer("at").notNull(),
  },
  (t) => [
    check("resolution_outcome", isOneOf(t.outcome, RESOLUTION_OUTCOMES)),
    check(
      "resolution_subject",
      sql`(${t.purchaseId} is not null) = (${t.outcome} in ('charged', 'not_charged')) and (${t.usageBatchId} is not null) = (${t.outcome} in ('taken', 'not_taken')) and (${t.openItemId} is not null) = (${t.outcome} = 'closed')`,
    ),
    check("resolution_source", isOneOf(t.source, RESOLUTION_SOURCES)),
    check("resolution_amount", isNotNegative(t.amountMicros)),
    index("resolution_by_purchase").on(t.purchaseId),
  ],
);
