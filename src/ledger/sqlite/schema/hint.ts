import { HINT_KINDS, HINT_SOURCES, HINT_STATES } from "../../hint-ledger.ts";
import { check, index, integer, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { run } from "./run.ts";
import { site } from "./site.ts";

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
    source: text("source", { enum: HINT_SOURCES }).notNull(),
    receivedAt: integer("received_at").notNull(),
    state: text("state", { enum: HINT_STATES }).notNull(),
    /** The run whose frontier it entered. */
    runId: integer("run_id").references(() => run.id, { onDelete: "set null" }),
    endedAt: integer("ended_at"),
  },
  (t) => [
    check("hint_kind", isOneOf(t.kind, HINT_KINDS)),
    check("hint_source", isOneOf(t.source, HINT_SOURCES)),
    check("hint_state", isOneOf(t.state, HINT_STATES)),
    uniqueIndex("hint_once").on(t.wireUrl, t.timestamp, t.kind),
    index("hint_waiting").on(t.siteId, t.id).where(sql`state = 'waiting'`),
    index("hint_entered").on(t.runId).where(sql`state = 'entered'`),
    index("hint_by_age").on(t.receivedAt),
  ],
);
