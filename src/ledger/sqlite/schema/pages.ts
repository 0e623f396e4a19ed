/** Sites and their pages. */

import { INTENTS } from "../../../policy/rule.ts";
import { check, index, integer, sql, sqliteTable, text } from "../engine/drizzle.ts";
import { isOneOf } from "./checks.ts";
import { keyOf } from "./key-of.ts";

/** A host that was ever crawled, and how far its last complete walk saw. */
export const site = sqliteTable("site", {
  id: integer("id").primaryKey(),
  host: text("host").notNull().unique(),
  /** The newest `lastMod` of the last walk that left nothing over. */
  highWaterAt: integer("high_water_at"),
  lastFullWalkAt: integer("last_full_walk_at"),
});

/** A page, by its canonical URL; what the catalog last said of it, and the stored version. */
export const page = sqliteTable(
  "page",
  {
    id: integer("id").primaryKey(),
    siteId: keyOf("site_id", () => site.id),
    url: text("url").notNull().unique(),
    /** The spelling sent to the gateway; NULL when it is the canonical one. */
    wireUrl: text("wire_url"),
    lastMod: text("last_mod"),
    lastModAt: integer("last_mod_at"),
    propertyId: text("property_id"),
    /** The newest purchase whose content is stored. */
    storedPurchaseId: integer("held_purchase_id"),
    storedAt: integer("held_at"),
    /** What it was fetched for: a version that was only indexed does not stand in for one that was bought. */
    storedIntent: text("held_intent", { enum: INTENTS }),
    /** A person's word: not to be bought again. */
    keepOff: integer("keep_off").notNull().default(0),
    /** The catalog's `lastMod` that the stored version was bought at. */
    storedLastMod: text("held_last_mod"),
    storedLastModAt: integer("held_last_mod_at"),
    /** Of a stored version without `lastMod`: the first date of its catalog after it that does not say when the page changed (freshness.ts). */
    storedDatedAs: text("held_dated_as"),
    /** When a full walk of the catalog did not find the page any more; NULL while the catalog has it. */
    goneAt: integer("gone_at"),
  },
  (t) => [
    // Which stored pages a retention ends for: by site, the oldest first.
    index("page_stored").on(t.siteId, t.storedAt).where(sql`held_at is not null`),
    index("page_gone").on(t.siteId).where(sql`gone_at is not null`),
    check(
      "page_held",
      sql`(${t.storedPurchaseId} is null) = (${t.storedAt} is null) and (${t.storedAt} is null) = (${t.storedIntent} is null)`,
    ),
    check("page_held_intent", isOneOf(t.storedIntent, INTENTS)),
  ],
);
