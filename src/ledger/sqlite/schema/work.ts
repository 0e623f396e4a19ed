/** What a run works on. Nothing of it outlives the run. */
import { BATCH_STAGES } from "../../lease-ledger.ts";
import {
  blob,
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  real,
  sql,
  sqliteTable,
  text,
} from "../engine/drizzle.ts";
import { equalsOneOf, isNotNegative, isOneOf } from "./checks.ts";
import { listing } from "./decisions.ts";
import { keyOf } from "./key-of.ts";
import { page, site } from "./pages.ts";
import { run, runSite } from "./runs.ts";

export const BATCH_STATES = ["filling", "ready", "leased"] as const;

/**
 * A piece of work that one job does. Deleted when it is done, so the table only ever holds what is left to do.
 * Ids are never used again (AUTOINCREMENT): a lease id is `<id>.<attempt>`, and an old one must never fit a new batch.
 */
export const batch = sqliteTable(
  "batch",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    runId: integer("run_id").notNull(),
    siteId: integer("site_id").notNull(),
    /** Leasing asks for each stage by its name, the nearest to settlement first (leases.ts). */
    stage: text("stage", { enum: BATCH_STAGES }).notNull(),
    state: text("state", { enum: BATCH_STATES }).notNull(),
    /** Pages or purchases in it when it was made; 0 for a walk. */
    size: integer("size").notNull().default(0),
    /** When it can be leased (again): its `notBefore`, or the end of its lease; NULL while it fills. */
    readyAt: integer("ready_at"),
    /** Which leasing of the batch this is, from 1. */
    attempt: integer("fence").notNull().default(0),
    /** Of a quote batch: the ids of its pages, as JSON. */
    pages: text("pages"),
    /** Of an acquire batch: its purchases are among those from this id to that one (runs/batches.ts). */
    firstPurchaseId: integer("first_purchase_id"),
    lastPurchaseId: integer("last_purchase_id"),
  },
  (t) => [
    foreignKey({ columns: [t.runId, t.siteId], foreignColumns: [runSite.runId, runSite.siteId] }),
    check("batch_stage", isOneOf(t.stage, BATCH_STAGES)),
    check("batch_state", isOneOf(t.state, BATCH_STATES)),
    check("batch_size", isNotNegative(t.size)),
    check("batch_ready_at", sql`(${t.state} = 'filling') = (${t.readyAt} is null)`),
    index("batch_by_stage").on(t.runId, t.stage, t.siteId, t.readyAt),
    index("batch_by_time").on(t.runId, t.readyAt, t.state),
  ],
);

export const FRONTIER_STATES = ["waiting", "quoted", "decided", "unchanged", "excluded"] as const;
export type FrontierState = (typeof FRONTIER_STATES)[number];

/**
 * What a run has seen, page by page: makes each page count once. Working state, dropped when the run ends. A page that waits in a quote batch is
 * decided when the batch is done: nothing is written to its row then (frontier/frontier-state.ts).
 */
export const frontier = sqliteTable(
  "frontier",
  {
    runId: keyOf("run_id", () => run.id),
    pageId: keyOf("page_id", () => page.id),
    state: text("state", { enum: FRONTIER_STATES }).notNull(),
    /** The quote batch it waits in, or was decided with. */
    batchId: integer("batch_id"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.pageId] }),
    check("frontier_state", equalsOneOf(t.state, FRONTIER_STATES)),
    check("frontier_batch", sql`${t.batchId} is null or ${t.state} = 'waiting'`),
  ],
);

/**
 * Pages of a run's frontier whose ids follow each other, in one row: they were new to the ledger and wait in the same quote batch, or were decided with
 * it. A page that stands otherwise has a row of its own (frontier/frontier-ranges.ts). Dropped with the frontier.
 */
export const frontierRange = sqliteTable(
  "frontier_range",
  {
    runId: keyOf("run_id", () => run.id),
    firstPageId: keyOf("first_page_id", () => page.id),
    lastPageId: keyOf("last_page_id", () => page.id),
    batchId: integer("batch_id").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.firstPageId] }),
    check("frontier_range_pages", sql`${t.firstPageId} <= ${t.lastPageId}`),
    index("frontier_range_by_batch").on(t.batchId),
  ],
);

/**
 * A page that a run has quoted and not decided yet, because its order (`run.order`) needs the quotes of all pages first. Working state,
 * dropped when the run ends or is resumed. The columns from `rank` to `url` are the order within a currency, from the best down.
 */
export const candidate = sqliteTable(
  "candidate",
  {
    runId: keyOf("run_id", () => run.id),
    pageId: keyOf("page_id", () => page.id),
    siteId: keyOf("site_id", () => site.id),
    listingId: integer("listing_id").references(() => listing.id),
    /** NULL for what costs nothing, where that comes first. */
    currency: text("currency"),
    /** The place in the order of the run: what is smaller is bought earlier. */
    rank: real("rank").notNull(),
    /** What the purchase would set aside. */
    costMicros: integer("cost_micros").notNull(),
    /** Minus the date of the last modification, so that newer pages come first; for an unknown date, a number greater than any. */
    age: integer("age").notNull(),
    url: text("url").notNull(),
    /** What the page is worth; NULL when nothing says it. */
    value: real("value"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.pageId] }),
    index("candidate_in_order").on(t.runId, t.currency, t.rank, t.costMicros, t.age, t.url),
    check("candidate_cost", isNotNegative(t.costMicros)),
    check("candidate_currency", sql`${t.currency} is not null or ${t.costMicros} = 0`),
    check("candidate_value", isNotNegative(t.value)),
  ],
);

/** The page tokens that a walk has used: one that comes back is a loop. Dropped with the frontier. */
export const walkToken = sqliteTable(
  "walk_token",
  {
    runId: integer("run_id").notNull(),
    siteId: integer("site_id").notNull(),
    /** A token can be long: the first half of its sha256 is kept. */
    tokenHash: blob("token_hash").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.siteId, t.tokenHash] }),
    foreignKey({ columns: [t.runId, t.siteId], foreignColumns: [runSite.runId, runSite.siteId] }),
  ],
);
