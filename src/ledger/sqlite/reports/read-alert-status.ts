import type { UndeliveredAlert } from "../../alert-ledger.ts";
import { and, desc, eq, ne, sql } from "../engine/drizzle.ts";
import type { Answered } from "../operation.ts";
import { alertDelivery } from "../schema/alerts.ts";
import { countPending, newestAlerts } from "./figures-of-service.ts";
import { columns, type Queries, type ReportTx } from "./queries.ts";

/** Reads the index of pending deliveries, and the newest alerts. */
export function readAlertStatus(tx: ReportTx): Answered<"readAlertStatus"> {
  return { pending: tx.row(countPending)?.total ?? 0, undelivered: tx.rows(selectUndelivered) };
}

const selectUndelivered = (queries: Queries) => {
  const recent = newestAlerts(queries);
  return queries
    .select({
      receiver: alertDelivery.receiver,
      state: sql<UndeliveredAlert["state"]>`${alertDelivery.state}`,
      ...columns(recent, "kind", "message", "raisedAt"),
      attempts: alertDelivery.attempts,
      error: alertDelivery.lastError,
    })
    .from(recent)
    .crossJoin(alertDelivery)
    .where(and(eq(alertDelivery.alertId, recent.id), ne(alertDelivery.state, "delivered")))
    .orderBy(desc(recent.id), alertDelivery.receiver);
};
