/** Who did what. */
import { ACT_KINDS } from "../../../act/act.ts";
import { check, index, integer, sql, sqliteTable, text, uniqueIndex } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { content } from "./documents.ts";
import { keyOf } from "./key-of.ts";
import { openItem } from "./open-items.ts";
import { site } from "./pages.ts";
import { purchase } from "./purchases.ts";
import { usageBatch } from "./usage.ts";

/** What a person decided or did, written in the transaction that does it. Only ever added to; `count` grows while a purge goes on. */
export const act = sqliteTable(
  "act",
  {
    id: integer("id").primaryKey(),
    kind: text("kind", { enum: ACT_KINDS }).notNull(),
    at: integer("at").notNull(),
    /** NULL: it was done by a licet that did not write it down. */
    actor: text("actor"),
    reason: text("reason"),
    /** Of a purge: the first purchase whose content went. */
    purchaseId: integer("purchase_id").references(() => purchase.id),
    usageBatchId: integer("usage_batch_id").references(() => usageBatch.id),
    openItemId: integer("open_item_id").references(() => openItem.id),
    /** The name of the run, because a run that bought nothing is pruned. */
    runName: text("run_name"),
    /** The site that was paused, by its host. */
    host: text("host"),
    /** The key of the alert, because alerts are pruned. */
    alertKey: text("alert_key"),
    /** The digest of the plan's lines: they stand in a file. */
    planDigest: text("plan_digest"),
    /** The request that did it (ActedBy): a second one with it does nothing. */
    requestKey: text("request_key"),
    count: integer("count").notNull().default(1),
  },
  (t) => [
    check("act_kind", isOneOf(t.kind, ACT_KINDS)),
    check(
      "act_subject",
      sql`(${t.purchaseId} is not null) = (${t.kind} in ('purchase_charged', 'purchase_not_charged', 'content_purged')) and (${t.usageBatchId} is not null) = (${t.kind} in ('report_taken', 'report_not_taken')) and (${t.openItemId} is not null) = (${t.kind} = 'item_closed') and (${t.runName} is not null) = (${t.kind} in ('run_started', 'run_resumed', 'run_stopped', 'run_cancelled', 'plan_approved')) and (${t.host} is not null) = (${t.kind} in ('site_paused', 'site_unpaused')) and (${t.alertKey} is not null) = (${t.kind} = 'alert_acknowledged') and (${t.planDigest} is not null) = (${t.kind} = 'plan_approved')`,
    ),
    check("act_count", sql`${t.count} >= 1`),
    check("act_actor", sql`${t.actor} <> ''`),
    index("act_by_purchase").on(t.purchaseId).where(sql`purchase_id is not null`),
    index("act_by_item").on(t.openItemId).where(sql`open_item_id is not null`),
    uniqueIndex("act_by_request").on(t.requestKey).where(sql`request_key is not null`),
    index("act_by_run").on(t.runName).where(sql`run_name is not null`),
  ],
);

/** Which purge removed the texts of a version. */
export const purgedContent = sqliteTable("purged_content", {
  purchaseId: integer("purchase_id")
    .primaryKey()
    .references(() => content.purchaseId),
  actId: keyOf("act_id", () => act.id),
});

/** The sites of which a person lets nothing be bought, by any run, until a person says otherwise. */
export const sitePause = sqliteTable("site_pause", {
  siteId: integer("site_id")
    .primaryKey()
    .references(() => site.id),
  /** Since when, who, and why. */
  actId: keyOf("act_id", () => act.id),
});
