import { asc, eq, isNull } from "../engine/drizzle.ts";
import { openItem } from "../schema/open-items.ts";
import { site } from "../schema/pages.ts";
import { asked, type Queries } from "./queries.ts";

/** What a person has to look at, oldest first. */
export const selectOpenItems = (queries: Queries) =>
  queries
    .select({
      id: openItem.id,
      kind: openItem.kind,
      detail: openItem.detail,
      url: openItem.url,
      batchId: openItem.batchId,
      purchaseId: openItem.purchaseId,
      host: site.host,
      count: openItem.count,
      at: openItem.at,
    })
    .from(openItem)
    .leftJoin(site, eq(site.id, openItem.siteId))
    .where(isNull(openItem.closedAt))
    .orderBy(asc(openItem.id))
    .limit(asked("limit"));
