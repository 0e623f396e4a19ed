import { check, index, integer, primaryKey, real, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";
import { page } from "./page.ts";
import { run } from "./run.ts";

export const MET_STATES = ["waiting", "unchanged", "excluded"] as const;

/** What a list or a plan says of one of its pages. Kept: documents carry the `key` of the newest list that names their page. */
export const listedPage = sqliteTable(
  "listed_page",
  {
    runId: integer("run_id")
      .notNull()
      .references(() => run.id),
    pageId: integer("page_id")
      .notNull()
      .references(() => page.id),
    /** The line that names the page, from 1. */
    line: integer("line").notNull(),
    /** In which state the page came into the frontier: a run that goes on after a limit makes its frontier from this again. */
    metAs: text("met_as", { enum: MET_STATES }).notNull(),
    /** The most that the page may cost, fee included. */
    maxPriceMicros: integer("max_price_micros"),
    maxPriceCurrency: text("max_price_currency"),
    /** What the page is worth to whoever wrote the list. */
    value: real("value"),
    /** The caller's own name of the page. */
    key: text("key"),
    /** The license that a plan named. NULL: any that the policy allows. */
    licenseType: text("license_type"),
    licenseCuid: text("license_cuid"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.pageId] }),
    index("listed_page_key").on(t.pageId, t.runId).where(sql`key is not null`),
    // The order of the list is the order in which its pages are decided.
    uniqueIndex("listed_page_line").on(t.runId, t.line),
    check("listed_page_met_as", isOneOf(t.metAs, MET_STATES)),
    check("listed_page_max_price", isNotNegative(t.maxPriceMicros)),
    check("listed_page_max_price_currency", sql`(${t.maxPriceMicros} is null) = (${t.maxPriceCurrency} is null)`),
    check("listed_page_value", isNotNegative(t.value)),
  ],
);
