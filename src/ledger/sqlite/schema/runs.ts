/** Runs, and the part of each site in them. */
import type { AnySQLiteColumn } from "drizzle-orm/sqlite-core";
import { RUN_ORDERS } from "../../../policy/rule.ts";
import { RUN_KINDS } from "../../../run/kinds.ts";
import { ENDED_BY, RUN_STATES } from "../../../run/run-state.ts";
import { RUN_TRIGGERS, SITE_STOPS } from "../../run-ledger.ts";
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sql,
  sqliteTable,
  text,
  uniqueIndex,
} from "../engine/drizzle.ts";
import { isBoolean, isNotNegative, isOneOf } from "./checks.ts";
import { keyOf } from "./key-of.ts";
import { site } from "./pages.ts";

/** One crawl. `name` is the run id of the port; `id` is what other tables refer to. */
export const run = sqliteTable(
  "run",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    name: text("name").notNull().unique(),
    trigger: text("started_by", { enum: RUN_TRIGGERS }).notNull().default("manual"),
    kind: text("kind", { enum: RUN_KINDS }).notNull(),
    state: text("state", { enum: RUN_STATES }).notNull(),
    reason: text("reason"),
    /** Who ended it last; `nobody` since it last began to work. It stays while another process only probes what the run had started. */
    endedBy: text("ended_by", { enum: ENDED_BY }).notNull().default("nobody"),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
    maxPages: integer("max_pages"),
    maxSpendMicros: integer("max_spend_micros"),
    maxSpendCurrency: text("max_spend_currency"),
    deadlineAt: integer("deadline_at"),
    /** What is bought first. */
    order: text("run_order", { enum: RUN_ORDERS }).notNull().default("catalog"),
    /** Time worked in earlier work periods, before the run was last resumed: `maxDuration` covers all of them. */
    workedMs: integer("worked_ms").notNull().default(0),
    /** Begin of the present work period; NULL for a run that was never resumed (`started_at` then). */
    resumedAt: integer("resumed_at"),
    /** The process that works on it (`host:pid`), and until when it is taken to be alive without having said so again. */
    process: text("process"),
    aliveUntil: integer("alive_until"),
    /** The later run that took over what this one left. */
    successorRowId: integer("taken_over_by").references((): AnySQLiteColumn => run.id),
    /** 1: the limits of the runs that it superseded went over to it. 0 where it superseded none. */
    inheritsLimits: integer("inherits_limits").notNull().default(0),
    /** Pages approved over all sites, against `max_pages`. */
    approved: integer("approved").notNull().default(0),
    /** The site served last by leaseBatches: the next call goes on behind it. */
    lastSiteId: integer("last_site_id").notNull().default(0),
    /** Every purchase of this run has a greater id: its purchases are found without an index of their own. */
    purchasesAfter: integer("purchases_after").notNull(),
    /** No purchase of this run has a greater id. NULL while it may buy. */
    purchasesUntil: integer("purchases_until"),
    /** The last sign of life of a process that died at work on it, and that process. Written by the process that takes the run. */
    diedAt: integer("died_at"),
    diedProcess: text("died_process"),
    /** Its working state is gone: reopening walks again. */
    frontierDropped: integer("frontier_dropped").notNull().default(0),
    /** Names the one run of a site and a day that webhooks feed; NULL for every other run. */
    key: text("key"),
    /** 1: a service worked on it last, so the next service goes on with it. */
    inService: integer("in_service").notNull().default(0),
  },
  (t) => [
    check("run_kind", isOneOf(t.kind, RUN_KINDS)),
    check("run_ended_by", isOneOf(t.endedBy, ENDED_BY)),
    check("run_order", isOneOf(t.order, RUN_ORDERS)),
    check("run_state", isOneOf(t.state, RUN_STATES)),
    check("run_ended", sql`(${t.state} = 'running') = (${t.endedAt} is null)`),
    check("run_max_pages", isNotNegative(t.maxPages)),
    check("run_max_spend", isNotNegative(t.maxSpendMicros)),
    check("run_max_spend_currency", sql`(${t.maxSpendMicros} is null) = (${t.maxSpendCurrency} is null)`),
    check("run_approved", isNotNegative(t.approved)),
    check("run_trigger", isOneOf(t.trigger, RUN_TRIGGERS)),
    check("run_worked", isNotNegative(t.workedMs)),
    uniqueIndex("run_key").on(t.key),
    index("run_unfinished").on(t.id).where(sql`kind <> 'planning' and state in ('running', 'interrupted', 'failed')`),
    index("run_plannings").on(t.id).where(sql`kind = 'planning'`),
    index("run_successor").on(t.successorRowId).where(sql`taken_over_by is not null`),
    index("run_dropping").on(t.id).where(sql`frontier_dropped = 0 and state <> 'running'`),
  ],
);

/** One site's part in a run: where its walk stands (catalog/walk-state.ts) and why it stopped. */
export const runSite = sqliteTable(
  "run_site",
  {
    runId: keyOf("run_id", () => run.id),
    siteId: keyOf("site_id", () => site.id),
    position: integer("position").notNull(),
    maxPages: integer("max_pages"),
    fullWalkEveryMs: integer("full_walk_every_ms"),
    overlapMs: integer("overlap_ms").notNull(),
    approved: integer("approved").notNull().default(0),
    walkPageToken: text("walk_page_token"),
    walkPagesRead: integer("walk_pages_read").notNull().default(0),
    walkStopBelowAt: integer("walk_stop_below_at"),
    walkOrdered: integer("walk_ordered").notNull().default(1),
    walkLastAt: integer("walk_last_at"),
    walkNewestAt: integer("walk_newest_at"),
    walkEnded: text("walk_ended", { enum: ["complete", "cut"] }),
    walkWarning: text("walk_warning"),
    /** The quote batch that the next catalog page goes on filling. */
    fillingBatchId: integer("filling_batch_id"),
    /** Pages in quote and acquire batches not yet finished: what bounds the frontier. */
    waitingPages: integer("waiting_pages").notNull().default(0),
    /** Pages per quote batch, as last asked for; used to batch anew when a run is reopened. */
    quoteBatchSize: integer("quote_batch_size").notNull().default(50),
    stop: text("stop", { enum: SITE_STOPS }),
    stopDetail: text("stop_detail"),
    /** JSON object: the currencies in which a budget is used up, each with the budget's label. Pages of other currencies go on. */
    exhausted: text("exhausted").notNull().default("{}"),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.siteId] }),
    check("run_site_stop", isOneOf(t.stop, SITE_STOPS)),
    check("run_site_walk_ended", isOneOf(t.walkEnded, ["complete", "cut"])),
    check("run_site_walk_ordered", isBoolean(t.walkOrdered)),
    check("run_site_token_while_walking", sql`${t.walkEnded} is null or ${t.walkPageToken} is null`),
    check("run_site_waiting", isNotNegative(t.waitingPages)),
    check("run_site_approved", isNotNegative(t.approved)),
  ],
);

/** The configurations that decided what runs buy, without secrets: each text once, however many runs had it. */
export const configuration = sqliteTable("configuration", {
  id: integer("id").primaryKey(),
  /** SHA-256 of the text, in lower-case hex. */
  digest: text("digest").notNull().unique(),
  /** JSON, in the words of the configuration file. */
  text: text("text").notNull(),
});

/** Which of them a run began with, and since when another one holds. */
export const runConfiguration = sqliteTable(
  "run_configuration",
  {
    runId: keyOf("run_id", () => run.id),
    since: integer("since").notNull(),
    configurationId: keyOf("configuration_id", () => configuration.id),
  },
  (t) => [primaryKey({ columns: [t.runId, t.since] })],
);

/** Examples of catalog entries that cannot be pages of their site: a few per run, site and reason. */
export const rejectedEntry = sqliteTable(
  "rejected_entry",
  {
    id: integer("id").primaryKey(),
    runId: integer("run_id").notNull(),
    siteId: integer("site_id").notNull(),
    reason: text("reason").notNull(),
    /** As the gateway sent it, cut to a bounded length. */
    raw: text("raw").notNull(),
  },
  (t) => [
    foreignKey({ columns: [t.runId, t.siteId], foreignColumns: [runSite.runId, runSite.siteId] }),
    index("rejected_entry_examples").on(t.runId, t.siteId, t.reason),
  ],
);
