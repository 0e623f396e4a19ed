/** Counts that are kept as rows change, so that nobody has to read them all. */

import { USE_STATES } from "../../../usage/use.ts";
import { check, foreignKey, integer, primaryKey, sqliteTable, text } from "../engine/drizzle.ts";
import { isNotNegative, isOneOf } from "./checks.ts";
import { keyOf } from "./key-of.ts";
import { site } from "./pages.ts";
import { runSite } from "./runs.ts";

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

/** What can come of a page that a run saw. `denied` and `released` are counted by reason, the others under the reason ''. */
export const TOTAL_KINDS = ["seen", "unchanged", "excluded", "denied", "settled", "released", "in_doubt"] as const;

/**
 * How often each outcome came about on a site, over all runs: written with `tally` (money/counters.ts). A total only grows, also when a purchase in doubt
 * is resolved or an old run is pruned: a program that samples it can take the difference of two samples for what happened between.
 */
export const siteTotal = sqliteTable(
  "site_total",
  {
    siteId: keyOf("site_id", () => site.id),
    kind: text("kind", { enum: TOTAL_KINDS }).notNull(),
    reason: text("reason").notNull(),
    count: integer("count").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.siteId, t.kind, t.reason] }),
    check("site_total_kind", isOneOf(t.kind, TOTAL_KINDS)),
    check("site_total_count", isNotNegative(t.count)),
  ],
);

/** `use_<state>`: uses that are in it now. `page_held`: pages whose content is stored. */
export const COUNTERS = [...USE_STATES.map((state) => `use_${state}` as const), "page_held"] as const;

/**
 * Counts over the whole ledger that are asked for again and again, kept by the functions that write the rows that they count
 * (usage/use-rows.ts, purchases/stored-content.ts). `audit` counts the rows.
 */
export const counter = sqliteTable(
  "counter",
  {
    name: text("name", { enum: COUNTERS as unknown as [string, ...string[]] }).primaryKey(),
    count: integer("count").notNull(),
  },
  (t) => [check("counter_name", isOneOf(t.name, COUNTERS)), check("counter_count", isNotNegative(t.count))],
);
