import { check, foreignKey, integer, primaryKey, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";
import { runSite } from "./run-site.ts";

/**
 * `denied`, `pruned` and `released` are counted by reason, the others under the reason ''. `settled`, `released` and `in_doubt` count
 * the purchases that are so now; `use_…` count uses (rows, not times) that name this run. `pruned` counts, by reason, those denials
 * whose rows are gone: what no longer has rows of its own is still accounted for.
 */
export const TALLY_KINDS = [
  "seen",
  "unchanged",
  "excluded",
  "rejected",
  "quoted",
  "approved",
  "denied",
  "pruned",
  "settled",
  "released",
  "in_doubt",
  "repurchased",
  "repurchased_equal",
  "empty",
  "use_recorded",
  "use_reported",
  "use_rejected",
] as const;

/** Counts of a run per site, kept as the rows change, so that a summary never has to read them all. */
export const tally = sqliteTable(
  "tally",
  {
    runId: integer("run_id").notNull(),
    siteId: integer("site_id").notNull(),
    kind: text("kind", { enum: TALLY_KINDS }).notNull(),
    reason: text("reason").notNull(),
    count: integer("count").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.siteId, t.kind, t.reason] }),
    foreignKey({ columns: [t.runId, t.siteId], foreignColumns: [runSite.runId, runSite.siteId] }),
    check("tally_kind", isOneOf(t.kind, TALLY_KINDS)),
    check("tally_count", isNotNegative(t.count)),
  ],
);
