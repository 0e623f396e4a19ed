import type { Act } from "../../act-ledger.ts";
import { and, desc, eq, sql } from "../engine/drizzle.ts";
import type { Asked } from "../operation.ts";
import { act } from "../schema/acts.ts";
import { page } from "../schema/pages.ts";
import { purchase } from "../schema/purchases.ts";
import { asked, columns, type Queries, type ReportTx } from "./queries.ts";

/** Acts about one page that are read, the newest first. */
const MAX_OF_PAGE = 200;

/** The newest acts, from the end of the table; those of a run by their index. */
export function readActs(tx: ReportTx, { before, runId, limit }: Asked<"readActs">): readonly Act[] {
  const which = { before: before ?? Number.MAX_SAFE_INTEGER, limit };
  return runId === null ? tx.rows(selectActs, which) : tx.rows(selectOfRun, { ...which, runId });
}

/** By the index of requests. */
export function findAct(tx: ReportTx, requestKey: Asked<"findAct">): Act | null {
  return tx.row(selectByRequest, { requestKey }) ?? null;
}

/** What was decided about the purchases of a page, about open items of them, and which purges removed its versions. */
export function readActsOf(tx: ReportTx, pageId: number): readonly Act[] {
  return tx.rows(selectOfPage, { pageId, limit: MAX_OF_PAGE });
}

const ACT = {
  actId: act.id,
  ...columns(act, "kind", "at"),
  by: act.actor,
  reason: act.reason,
  purchaseId: act.purchaseId,
  url: page.url,
  batchId: act.usageBatchId,
  itemId: act.openItemId,
  runId: act.runName,
  host: act.host,
  alert: act.alertKey,
  plan: act.planDigest,
  count: act.count,
};

const selectActs = (queries: Queries) =>
  select(queries)
    .where(sql`${act.id} < ${asked("before")}`)
    .orderBy(desc(act.id))
    .limit(asked("limit"));

const selectOfRun = (queries: Queries) =>
  select(queries)
    .where(and(eq(act.runName, asked("runId")), sql`${act.id} < ${asked("before")}`))
    .orderBy(desc(act.id))
    .limit(asked("limit"));

const selectByRequest = (queries: Queries) => select(queries).where(eq(act.requestKey, asked("requestKey")));

const OF_PAGE = sql`${act.id} in (
  select a.id from purchase p join act a on a.purchase_id = p.id where p.page_id = ${asked("pageId")}
  union select a.id from purchase p join open_item i on i.purchase_id = p.id join act a on a.open_item_id = i.id where p.page_id = ${asked("pageId")}
  union select g.act_id from purchase p join purged_content g on g.purchase_id = p.id where p.page_id = ${asked("pageId")})`;

const selectOfPage = (queries: Queries) => select(queries).where(OF_PAGE).orderBy(desc(act.id)).limit(asked("limit"));

function select(queries: Queries) {
  return queries
    .select(ACT)
    .from(act)
    .leftJoin(purchase, eq(purchase.id, act.purchaseId))
    .leftJoin(page, eq(page.id, purchase.pageId))
    .$dynamic();
}
