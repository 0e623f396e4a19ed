/** Notifications about pages, and how far the gateway's records of them were read. */
import { HINT_KINDS, HINT_SOURCES, HINT_STATES } from "../../hint-ledger.ts";
import { check, index, integer, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";
import { site } from "./pages.ts";
import { run } from "./runs.ts";

/** A notification about a page, from a webhook delivery or from the gateway's delivery records. */
export const hint = sqliteTable(
  "hint",
  {
    id: integer("id").primaryKey(),
    /** The id of the webhook in the configuration. */
    subscription: text("subscription").notNull(),
    /** NULL for a URL of no configured site. */
    siteId: integer("site_id").references(() => site.id),
    /** The URL in its one spelling, and the one that is sent to the gateway. Of no configured site: as it was received. */
    url: text("url").notNull(),
    wireUrl: text("wire_url").notNull(),
    kind: text("kind", { enum: HINT_KINDS }).notNull(),
    /** The date of the notification as it was received, and as epoch ms; NULL when it cannot be read. */
    timestamp: text("timestamp").notNull(),
    at: integer("at"),
    /**
     * The page changed after this instant, epoch ms: `at` of a delivery with a date. A delivery record has only the time of an attempt, so
     * the change may be earlier than `at`. A version that was bought in between is not bought again.
     */
    changedAfter: integer("changed_after").notNull(),
    source: text("source", { enum: HINT_SOURCES }).notNull(),
    receivedAt: integer("received_at").notNull(),
    state: text("state", { enum: HINT_STATES }).notNull(),
    /** The run whose frontier it entered. */
    runId: integer("run_id").references(() => run.id, { onDelete: "set null" }),
    endedAt: integer("ended_at"),
    /** How often its page was decided and is still to be bought: the purchase was released, or a limit denied it. */
    tries: integer("tries").notNull().default(0),
    /** While it waits: not admitted earlier, epoch ms. */
    notBefore: integer("not_before").notNull().default(0),
  },
  (t) => [
    check("hint_kind", isOneOf(t.kind, HINT_KINDS)),
    check("hint_source", isOneOf(t.source, HINT_SOURCES)),
    check("hint_state", isOneOf(t.state, HINT_STATES)),
    uniqueIndex("hint_once").on(t.wireUrl, t.timestamp, t.kind),
    check("hint_site", sql`(${t.siteId} is null) = (${t.state} = 'unknown_site')`),
    check("hint_run", sql`${t.state} <> 'entered' or ${t.runId} is not null`),
    check("hint_ended", sql`(${t.endedAt} is null) = (${t.state} in ('waiting', 'entered'))`),
    check("hint_tries", isNotNegative(t.tries)),
    index("hint_waiting").on(t.siteId, t.notBefore).where(sql`state = 'waiting'`),
    index("hint_entered").on(t.runId).where(sql`state = 'entered'`),
    index("hint_ignored").on(t.id).where(sql`state in ('unknown_site', 'excluded')`),
    index("hint_by_age").on(t.receivedAt),
  ],
);

/** How far the gateway's delivery records were read: a single row, made by the first reading. */
export const sweep = sqliteTable(
  "sweep",
  {
    id: integer("id").primaryKey(),
    /** Every record of an attempt up to here was read. NULL before the first complete reading. */
    coveredUntil: integer("covered_until"),
    completedAt: integer("completed_at"),
    /** Totals of all readings. */
    sweeps: integer("sweeps").notNull().default(0),
    records: integer("records").notNull().default(0),
    admitted: integer("admitted").notNull().default(0),
    /** Failures since the last complete reading. */
    failures: integer("failures").notNull().default(0),
    lastError: text("last_error"),
  },
  (t) => [check("sweep_single", sql`${t.id} = 1`)],
);
