import type { AlertDelivery, RaisedAlert } from "../../alert-ledger.ts";
import { asc, desc, eq, sql } from "../engine/drizzle.ts";
import type { Asked } from "../operation.ts";
import { act } from "../schema/acts.ts";
import { alert, alertDelivery } from "../schema/alerts.ts";
import { asked, columns, type Queries, type ReportTx } from "./queries.ts";

/** From the end of the table. Those that nobody looks after are few among the newest, and old ones are pruned. */
export function readAlerts(tx: ReportTx, { before, isOpen, limit }: Asked<"readAlerts">): readonly RaisedAlert[] {
  const which = { before: before ?? Number.MAX_SAFE_INTEGER, isOpen: isOpen ? 1 : 0, limit };
  return tx.rows(selectAlerts, which).map(({ acknowledgedBy, at, by, reason, ...raised }) => ({
    ...raised,
    acknowledged: acknowledgedBy === null || at === null ? null : { at, by, reason },
    deliveries: tx.rows(selectDeliveries, { alertId: raised.alertId }).map(toDelivery),
  }));
}

function toDelivery({ notBefore, ...delivery }: Omit<AlertDelivery, "nextAttemptAt"> & { readonly notBefore: number }) {
  return { ...delivery, nextAttemptAt: delivery.state === "pending" ? notBefore : null };
}

/** As few as receivers are configured. */
const selectDeliveries = (queries: Queries) =>
  queries
    .select({
      ...columns(alertDelivery, "receiver", "state", "attempts", "notBefore", "endedAt"),
      error: alertDelivery.lastError,
    })
    .from(alertDelivery)
    .where(eq(alertDelivery.alertId, asked("alertId")))
    .orderBy(asc(alertDelivery.receiver));

const selectAlerts = (queries: Queries) =>
  queries
    .select({
      alertId: alert.id,
      ...columns(alert, "kind", "message", "site", "run", "code", "command", "raisedAt", "acknowledgedBy"),
      at: act.at,
      by: act.actor,
      reason: act.reason,
    })
    .from(alert)
    .leftJoin(act, eq(act.id, alert.acknowledgedBy))
    .where(sql`${alert.id} < ${asked("before")} and (${asked("isOpen")} = 0 or ${alert.acknowledgedBy} is null)`)
    .orderBy(desc(alert.id))
    .limit(asked("limit"));
