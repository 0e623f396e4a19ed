/** What a person has to look at, and what a person said. */
import { OPEN_ITEM_KINDS } from "../../usage-ledger.ts";
import { check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";
import { site } from "./pages.ts";
import { purchase } from "./purchases.ts";
import { usageBatch, usageEntry } from "./usage.ts";

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
