import { OPEN_ITEM_KINDS } from "../../usage-ledger.ts";
import { check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { purchase } from "./purchase.ts";
import { site } from "./site.ts";
import { usageBatch } from "./usage-batch.ts";
import { usageEntry } from "./usage-entry.ts";

/** Something a person has to look at. */
export const openItem = sqliteTable(
  "open_item",
  {
    id: integer("id").primaryKey(),
    kind: text("kind", { enum: OPEN_ITEM_KINDS }).notNull(),
    detail: text("detail").notNull(),
    url: text("url"),
    batchId: integer("batch_id").references(() => usageBatch.id),
    entryId: integer("entry_id").references(() => usageEntry.id),
    purchaseId: integer("purchase_id").references(() => purchase.id),
    /** The site that is not bought from while the item is open; NULL for one that stops nothing. */
    siteId: integer("site_id").references(() => site.id),
    /** The balance that was passed. */
    scope: text("scope"),
    period: text("period"),
    currency: text("currency"),
    /** How many things it stands for: one item a batch names an example. */
    count: integer("count").notNull().default(1),
    at: integer("at").notNull(),
    closedAt: integer("closed_at"),
  },
  (t) => [
    check("open_item_kind", isOneOf(t.kind, OPEN_ITEM_KINDS)),
    check("open_item_count", sql`${t.count} >= 1`),
    index("open_item_open").on(t.id).where(sql`closed_at is null`),
    index("open_item_by_batch").on(t.batchId, t.kind).where(sql`batch_id is not null`),
    index("open_item_by_purchase").on(t.purchaseId, t.kind).where(sql`purchase_id is not null`),
    index("open_item_by_balance").on(t.scope, t.period, t.currency).where(sql`scope is not null`),
    index("open_item_stops_site").on(t.siteId).where(sql`site_id is not null and closed_at is null`),
  ],
);
