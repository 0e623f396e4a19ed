/** Who did what. */
import { ACT_KINDS } from "../../../act/act.ts";
import { check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { content } from "./documents.ts";
import { keyOf } from "./key-of.ts";
import { openItem } from "./open-items.ts";
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
    count: integer("count").notNull().default(1),
  },
  (t) => [
    check("act_kind", isOneOf(t.kind, ACT_KINDS)),
    check(
      "act_subject",
      sql`(${t.purchaseId} is not null) = (${t.kind} in ('purchase_charged', 'purchase_not_charged', 'content_purged')) and (${t.usageBatchId} is not null) = (${t.kind} in ('report_taken', 'report_not_taken')) and (${t.openItemId} is not null) = (${t.kind} = 'item_closed') and (${t.runName} is not null) = (${t.kind} in ('run_stopped', 'run_cancelled'))`,
    ),
    check("act_count", sql`${t.count} >= 1`),
    check("act_actor", sql`${t.actor} <> ''`),
    index("act_by_purchase").on(t.purchaseId).where(sql`purchase_id is not null`),
    index("act_by_item").on(t.openItemId).where(sql`open_item_id is not null`),
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
