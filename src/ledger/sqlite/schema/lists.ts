/** What the list of a run says, line by line. */
import { LIST_SOURCES } from "../../list-ledger.ts";
import {
  blob,
  check,
  index,
  integer,
  primaryKey,
  real,
  sql,
  sqliteTable,
  text,
  uniqueIndex,
} from "../engine/drizzle.ts";
import { equalsOneOf, isBoolean, isNotNegative, isOneOf } from "./checks.ts";
import { keyOf } from "./key-of.ts";
import { page } from "./pages.ts";
import { run } from "./runs.ts";

/** The list that a run buys from instead of walking a catalog, and how far it was read. */
export const runList = sqliteTable(
  "run_list",
  {
    runId: integer("run_id")
      .primaryKey()
      .references(() => run.id),
    source: text("source", { enum: LIST_SOURCES }).notNull(),
    /** The file, absolute; NULL for standard input and for a program's own list. */
    path: text("path"),
    /** Of a plan: when it was made, by the clock of that machine. Nothing is decided from it. NULL for every other list. */
    plannedAt: integer("planned_at"),
    /** Of a plan: the SHA-256 of its first line. No page is bought twice under it. NULL for every other list. */
    planDigest: blob("plan_digest", { mode: "buffer" }),
    /**
     * Of a plan: the newest purchase that its making knew. No page is bought that has a later one. NULL for a plan that was made with another
     * ledger, and for every other list.
     */
    plannedAfter: integer("planned_after"),
    /** The run of the same file that a limit of its own had ended: what it bought is not bought again here. NULL for every other. */
    goesOnFrom: integer("goes_on_from").references(() => run.id),
    /** Lines that were read and committed. A resumed run goes on behind them. */
    linesRead: integer("lines_read").notNull().default(0),
    /** Digest over the lines read, so that another list is not taken for the same one. */
    digest: blob("digest", { mode: "buffer" }),
    /** 1: the list was read to its end. */
    isRead: integer("is_read").notNull().default(0),
    /** Lines that named a page again. The first one counts. */
    repeated: integer("repeated").notNull().default(0),
  },
  (t) => [
    check("run_list_source", isOneOf(t.source, LIST_SOURCES)),
    check("run_list_lines", isNotNegative(t.linesRead)),
    check("run_list_is_read", isBoolean(t.isRead)),
    check("run_list_repeated", isNotNegative(t.repeated)),
  ],
);

/** Lines of a list that name no page to buy: a count for each reason. */
export const rejectedLineTotal = sqliteTable(
  "rejected_line_total",
  {
    runId: keyOf("run_id", () => run.id),
    reason: text("reason").notNull(),
    count: integer("count").notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.reason] }), check("rejected_line_total_count", isNotNegative(t.count))],
);

/** The first of these lines, for each reason. */
export const rejectedLine = sqliteTable(
  "rejected_line",
  {
    runId: keyOf("run_id", () => run.id),
    line: integer("line").notNull(),
    reason: text("reason").notNull(),
    raw: text("raw").notNull(),
  },
  (t) => [primaryKey({ columns: [t.runId, t.line] })],
);

export const MET_STATES = ["waiting", "unchanged", "excluded"] as const;

/** What a list or a plan says of one of its pages. Kept: documents carry the `key` of the newest list that names their page. */
export const listedPage = sqliteTable(
  "listed_page",
  {
    runId: keyOf("run_id", () => run.id),
    pageId: keyOf("page_id", () => page.id),
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
    check("listed_page_met_as", equalsOneOf(t.metAs, MET_STATES)),
    check("listed_page_max_price", isNotNegative(t.maxPriceMicros)),
    check("listed_page_max_price_currency", sql`(${t.maxPriceMicros} is null) = (${t.maxPriceCurrency} is null)`),
    check("listed_page_value", isNotNegative(t.value)),
  ],
);
