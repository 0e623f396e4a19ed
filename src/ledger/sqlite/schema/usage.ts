/** Uses, their reports, and what the gateway answered. */
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { USE_KINDS, USE_STATES } from "../../../usage/use.ts";
import { REPORT_STATES } from "../../report-reports.ts";
import { blob, check, index, integer, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { equalsOneOf, isBoolean, isNotNegative, isOneOf } from "./checks.ts";
import { license } from "./decisions.ts";
import { keyOf } from "./key-of.ts";
import { page, site } from "./pages.ts";
import { purchase } from "./purchases.ts";
import { run } from "./runs.ts";

/** A frozen report: these bytes under this id, until an answer settles them (promise 5). */
export const usageBatch = sqliteTable(
  "usage_batch",
  {
    id: integer("id").primaryKey(),
    idempotencyId: text("idempotency_id").notNull().unique(),
    /** sha256 of the body: a changed body under an old id is caught as a bug. */
    bodyHash: blob("body_hash", { mode: "buffer" }).notNull(),
    state: text("state", { enum: REPORT_STATES }).notNull(),
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
    /** Its entries are those from this id to that one: nothing else lies between them. */
    firstEntryId: integer("first_entry_id").notNull(),
    lastEntryId: integer("last_entry_id").notNull(),
    /**
     * Of a plain report: its uses are the fetches from this one on, one an entry, and neither entries nor uses say so in their rows
     * (usage/plain-reports.ts). NULL: its entries have rows, and its uses name them.
     */
    firstUseId: integer("first_use_id").references((): AnySQLiteColumn => use.id),
    /** When for each entry a receipt came that says what the entry says, word for word: the table of receipts has none of them. NULL: not so. */
    receiptsAsExpectedAt: integer("receipts_as_expected_at"),
    /** Last, so that reading any other column does not walk through its overflow pages. */
    body: blob("body", { mode: "buffer" }).notNull(),
  },
  (t) => [
    check("usage_batch_state", isOneOf(t.state, REPORT_STATES)),
    check("usage_batch_attempts", isNotNegative(t.attempts)),
    check("usage_batch_first_attempt", sql`(${t.attempts} = 0) = (${t.firstAttemptAt} is null)`),
    check("usage_batch_closed", sql`(${t.state} = 'frozen') = (${t.closedAt} is null)`),
    check("usage_batch_entries", sql`${t.firstEntryId} <= ${t.lastEntryId}`),
    check("usage_batch_receipts", sql`${t.receiptsAsExpectedAt} is null or ${t.state} = 'settled'`),
    // What is more to be said of an entry than of the whole report needs a row to be about.
    check(
      "usage_batch_plain",
      sql`${t.firstUseId} is null or ${t.state} in ('frozen', 'needs_reconcile') or ${t.receiptsAsExpectedAt} is not null`,
    ),
    // Queries name the states just so, else SQLite does not see that the index covers them.
    index("usage_batch_open").on(t.id).where(sql`state in ('frozen', 'needs_reconcile')`),
    uniqueIndex("usage_batch_first_use").on(t.firstUseId).where(sql`first_use_id is not null`),
    index("usage_batch_halves").on(t.parentId).where(sql`parent_id is not null`),
  ],
);

/**
 * One aggregated line of a frozen report. Those of a report are found by their ids (`first_entry_id`), which are in the order of `position`. A plain
 * report has none.
 */
export const usageEntry = sqliteTable(
  "usage_entry",
  {
    id: integer("id").primaryKey(),
    batchId: keyOf("batch_id", () => usageBatch.id),
    position: integer("position").notNull(),
    pageId: keyOf("page_id", () => page.id),
    /** As it stands in the body. */
    wireUrl: text("wire_url").notNull(),
    licenseType: text("license_type").notNull(),
    licenseCuid: text("license_cuid"),
    times: integer("times").notNull(),
    unitMicros: integer("unit_micros").notNull(),
    currency: text("currency").notNull(),
  },
  (t) => [check("usage_entry_counts", sql`${t.times} >= 1 and ${t.unitMicros} >= 0 and ${t.position} >= 0`)],
);

/** One use of content, never changed but for its way through the outbox. */
export const use = sqliteTable(
  "use",
  {
    id: integer("id").primaryKey(),
    /** The caller's name for it, where it has one. */
    key: text("key"),
    runId: integer("run_id").references(() => run.id),
    siteId: keyOf("site_id", () => site.id),
    pageId: keyOf("page_id", () => page.id),
    /** The purchase whose content was used; NULL for a page that was only indexed. */
    purchaseId: integer("purchase_id").references(() => purchase.id),
    kind: text("kind", { enum: USE_KINDS }).notNull(),
    times: integer("times").notNull(),
    licenseId: keyOf("license_id", () => license.id),
    /** The expected price of one use. */
    unitMicros: integer("unit_micros").notNull(),
    currency: text("currency").notNull(),
    /** Charged on the report: unit × times is reserved until then. */
    billed: integer("billed").notNull(),
    /** That of a use in a plain report is `pending` here: it stands as its report does. */
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
    check("use_state", equalsOneOf(t.state, USE_STATES)),
    check("use_times", sql`${t.times} >= 1`),
    check("use_amounts", sql`${t.unitMicros} >= 0 and ${t.chargedMicros} >= 0`),
    check("use_billed", isBoolean(t.billed)),
    check("use_fetch_names_purchase", sql`${t.kind} <> 'fetch' or (${t.purchaseId} is not null and ${t.times} = 1)`),
    check(
      "use_charged",
      sql`${t.chargedMicros} is null or (${t.state} = 'settled' and ${t.chargedCurrency} is not null)`,
    ),
    check("use_entry", sql`(${equalsOneOf(t.state, ["batched", "settled", "rejected"])}) = (${t.entryId} is not null)`),
    uniqueIndex("use_key").on(t.key).where(sql`key is not null`),
    index("use_by_entry").on(t.entryId).where(sql`entry_id is not null`),
    // Of later uses alone: a page that is bought writes nothing to it.
    index("use_later").on(t.pageId, t.id).where(sql`kind = 'use'`),
  ],
);

/** What the gateway said of an entry, unless all that it said of a report is as expected (`receipts_as_expected_at`). Only ever added to. */
export const receipt = sqliteTable(
  "receipt",
  {
    id: integer("id").primaryKey(),
    batchId: keyOf("batch_id", () => usageBatch.id),
    /** NULL for one too many. */
    entryId: integer("entry_id").references(() => usageEntry.id),
    url: text("url").notNull(),
    licenseType: text("license_type").notNull(),
    licenseCuid: text("license_cuid"),
    perUnitMicros: integer("per_unit_micros").notNull(),
    totalMicros: integer("total_micros").notNull(),
    currency: text("currency").notNull(),
    /** What the gateway says went wrong with the use. NULL: nothing. */
    error: text("error"),
    at: integer("at").notNull(),
  },
  (t) => [index("receipt_by_batch").on(t.batchId), index("receipt_by_entry").on(t.entryId)],
);

/** The one flusher: a single row, made by the migration. */
export const flusher = sqliteTable(
  "flusher",
  {
    id: integer("id").primaryKey(),
    fence: integer("fence").notNull(),
    /** The end of its lease; NULL when free. */
    expiresAt: integer("expires_at"),
    /** No use up to this one is pending: the outbox is looked for after it. */
    usesThrough: integer("uses_through").notNull().default(0),
  },
  (t) => [check("flusher_single", sql`${t.id} = 1`)],
);
