/** What the decision about a page rests on, and why a page was not bought. */

import { DENIAL_REASONS } from "../../../policy/verdict.ts";
import { blob, check, index, integer, primaryKey, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { equalsOneOf } from "./checks.ts";
import { keyOf } from "./key-of.ts";
import { page } from "./pages.ts";
import { run } from "./runs.ts";

/** A license as it was bought (rates/license.ts). Never changed: a gateway that words it differently gets another row. */
export const license = sqliteTable("license", {
  id: integer("id").primaryKey(),
  /** All of it as one JSON array, so that equal licenses are one row although NULLs are distinct. */
  fingerprint: text("fingerprint").notNull().unique(),
  licenseType: text("license_type").notNull(),
  cuid: text("cuid"),
  licensePath: text("license_path"),
  /** JSON array of names, or `null` where the gateway did not say them. */
  permissions: text("permissions").notNull(),
});

/** What the gateway listed for a page when it was decided (a RateListing). Equal listings are kept once: most sites have few. */
export const listing = sqliteTable("listing", {
  id: integer("id").primaryKey(),
  /** The first half of the json's sha256. */
  hash: blob("hash").notNull().unique(),
  json: text("json").notNull(),
});

/** A policy's rule in words, as a purchase was allowed by it. Never changed: a rule that is edited gets another row. */
export const rule = sqliteTable("rule", {
  id: integer("id").primaryKey(),
  text: text("text").notNull().unique(),
});

/** Why a run did not buy a page, kept for `explain`. */
export const denial = sqliteTable(
  "denial",
  {
    runId: keyOf("run_id", () => run.id),
    pageId: keyOf("page_id", () => page.id),
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
    check("denial_reason", equalsOneOf(t.reason, DENIAL_REASONS)),
    index("denial_by_run").on(t.runId, t.pageId),
    index("denial_not_licensable").on(t.pageId, t.runId).where(sql`reason = 'not_licensable'`),
  ],
);
