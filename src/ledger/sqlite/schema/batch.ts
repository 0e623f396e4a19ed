import { BATCH_STAGES } from "../../lease-ledger.ts";
import { check, foreignKey, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";
import { runSite } from "./run-site.ts";

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
    /** How often it was leased. */
    /** Which leasing of the batch this is, from 1. */
    attempt: integer("fence").notNull().default(0),
  },
  (t) => [
    foreignKey({ columns: [t.runId, t.siteId], foreignColumns: [runSite.runId, runSite.siteId] }),
    check("batch_stage", isOneOf(t.stage, BATCH_STAGES)),
    check("batch_state", isOneOf(t.state, BATCH_STATES)),
    check("batch_size", isNotNegative(t.size)),
    check("batch_ready_at", sql`(${t.state} = 'filling') = (${t.readyAt} is null)`),
    index("batch_by_site").on(t.runId, t.siteId, t.stage, t.readyAt),
    index("batch_by_time").on(t.runId, t.readyAt, t.state),
  ],
);
