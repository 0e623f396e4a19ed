import { DENIAL_REASONS } from "../../../policy/verdict.ts";
import { check, index, integer, primaryKey, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { listing } from "./listing.ts";
import { page } from "./page.ts";
import { run } from "./run.ts";

/** Why a run did not buy a page, kept for `explain`. */
export const denial = sqliteTable(
  "denial",
  {
    runId: integer("run_id")
      .notNull()
      .references(() => run.id),
    pageId: integer("page_id")
      .notNull()
      .references(() => page.id),
    /** The rule that denied; NULL when none did. */
    ruleIndex: integer("rule_index"),
    policyName: text("policy_name").notNull(),
    reason: text("reason", { enum: DENIAL_REASONS }).notNull(),
    detail: text("detail"),
    listingId: integer("listing_id").references(() => listing.id),
    at: integer("at").notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.pageId, t.runId] }),
    check("denial_reason", isOneOf(t.reason, DENIAL_REASONS)),
    index("denial_by_run").on(t.runId, t.pageId),
    index("denial_not_licensable").on(t.pageId, t.runId).where(sql`reason = 'not_licensable'`),
  ],
);
