import { USE_KINDS, USE_STATES } from "../../../usage/use.ts";
import { check, index, integer, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { isBoolean, isOneOf } from "./checks.ts";
import { license } from "./license.ts";
import { page } from "./page.ts";
import { purchase } from "./purchase.ts";
import { run } from "./run.ts";
import { site } from "./site.ts";
import { usageEntry } from "./usage-entry.ts";

/** One use of content, never changed but for its way through the outbox. */
export const use = sqliteTable(
  "use",
  {
    id: integer("id").primaryKey(),
    /** The caller's name for it, where it has one. */
    key: text("key"),
    runId: integer("run_id").references(() => run.id),
    siteId: integer("site_id")
      .notNull()
      .references(() => site.id),
    pageId: integer("page_id")
      .notNull()
      .references(() => page.id),
    /** The purchase whose content was used; NULL for a page that was only indexed. */
    purchaseId: integer("purchase_id").references(() => purchase.id),
    kind: text("kind", { enum: USE_KINDS }).notNull(),
    times: integer("times").notNull(),
    licenseId: integer("license_id")
      .notNull()
      .references(() => license.id),
    /** The expected price of one use. */
    unitMicros: integer("unit_micros").notNull(),
    currency: text("currency").notNull(),
    /** Charged on the report: unit × times is reserved until then. */
    billed: integer("billed").notNull(),
    state: text("state", { enum: USE_STATES }).notNull(),
    entryId: integer("entry_id").references(() => usageEntry.id),
    chargedMicros: integer("charged_micros"),
    chargedCurrency: text("charged_currency"),
    recordedAt: integer("recorded_at").notNull(),
    /** It counts in the budget periods of this instant: that of its purchase for a fetch, of its recording for a later use. */
    budgetAt: integer("budget_at").notNull(),
    usedAt: integer("used_at").notNull(),
  },
  (t) => [
    check("use_kind", isOneOf(t.kind, USE_KINDS)),
    check("use_state", isOneOf(t.state, USE_STATES)),
    check("use_times", sql`${t.times} >= 1`),
    check("use_amounts", sql`${t.unitMicros} >= 0 and ${t.chargedMicros} >= 0`),
    check("use_billed", isBoolean(t.billed)),
    check("use_fetch_names_purchase", sql`${t.kind} <> 'fetch' or (${t.purchaseId} is not null and ${t.times} = 1)`),
    check(
      "use_charged",
      sql`${t.chargedMicros} is null or (${t.state} = 'settled' and ${t.chargedCurrency} is not null)`,
    ),
    check("use_entry", sql`(${t.state} in ('batched', 'settled', 'rejected')) = (${t.entryId} is not null)`),
    uniqueIndex("use_key").on(t.key).where(sql`key is not null`),
    index("use_pending").on(t.id).where(sql`state = 'pending'`),
    index("use_by_entry").on(t.entryId).where(sql`entry_id is not null`),
  ],
);
