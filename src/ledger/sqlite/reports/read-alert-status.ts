import type { UndeliveredAlert } from "../../alert-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import { and, desc, eq, ne, sql } from "../engine/drizzle.ts";
import { alertDelivery } from "../schema/alert-delivery.ts";
import { selectAlertRows } from "./figures-of-service.ts";
import type { ReportDeps } from "./queries.ts";

/** Reads the index of pending deliveries, and the newest alerts. */
export function createReadAlertStatus({ queries, read }: ReportDeps): Ledger["readAlertStatus"] {
  const { countPending, recent } = selectAlertRows(queries);
  const select = queries
    .select({
      receiver: alertDelivery.receiver,
      state: sql<UndeliveredAlert["state"]>`${alertDelivery.state}`,
      kind: recent.kind,
      message: recent.message,
      raisedAt: recent.raisedAt,
      attempts: alertDelivery.attempts,
      error: alertDelivery.lastError,
    })
    .from(recent)
    .crossJoin(alertDelivery)
    .where(and(eq(alertDelivery.alertId, recent.id), ne(alertDelivery.state, "delivered")))
    .orderBy(desc(recent.id), alertDelivery.receiver)
    .prepare();
  return () => read(() => ({ pending: countPending.get()?.total ?? 0, undelivered: select.all() }));
}
