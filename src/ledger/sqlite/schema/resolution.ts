import { check, index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { isNotNegative, isOneOf } from "./checks.ts";
import { purchase } from "./purchase.ts";

/** What became of a purchase in doubt. Only ever added to. */
export const resolution = sqliteTable(
  "resolution",
  {
    id: integer("id").primaryKey(),
    purchaseId: integer("purchase_id")
      .notNull()
      .references(() => purchase.id),
    outcome: text("outcome", { enum: ["charged", "not_charged"] }).notNull(),
    /** Charge and fee together. */
    amountMicros: integer("amount_micros").notNull(),
    currency: text("currency"),
    /** By hand, or by an answer that came after all. */
    source: text("source", { enum: ["operator", "late_answer"] }).notNull(),
    at: integer("at").notNull(),
  },
  (t) => [
    check("resolution_outcome", isOneOf(t.outcome, ["charged", "not_charged"])),
    check("resolution_source", isOneOf(t.source, ["operator", "late_answer"])),
    check("resolution_amount", isNotNegative(t.amountMicros)),
    index("resolution_by_purchase").on(t.purchaseId),
  ],
);
