import { asc, eq, isNull } from "../engine/drizzle.ts";
import { openItem } from "../schema/open-items.ts";
import { site } from "../schema/pages.ts";
import { asked, columns, type Queries } from "./queries.ts";

/** What a person has to look at, oldest first. */
export const selectOpenItems = (queries: Queries) =>
  queries
    .select({
      ...columns(openItem, "id", "kind", "detail", "url", "batchId", "purchaseId"),
      host: site.host,
      ...columns(openItem, "count", "at"),
    })
    .from(openItem)
    .leftJoin(site, eq(site.id, openItem.siteId))
    .where(isNull(openItem.closedAt))
    .orderBy(asc(openItem.id))
    .limit(asked("limit"));
