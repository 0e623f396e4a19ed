import { LONGEST_DELIVERY_WAIT_MS } from "../../../alert/delivery-retry.ts";
import { latestWaitEnd } from "../../../time/wait-end.ts";
import type { DeliveryOutcome, DueDelivery } from "../../alert-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Answered, Asked, Tx } from "../operation.ts";

type DueRow = Omit<DueDelivery, "details"> & { readonly details: string };

const SELECT_DUE = `SELECT d.alert_id AS alertId, d.receiver, d.attempts + 1 AS attempt, a.kind, a.key, a.message, a.details, a.site, a.run, a.code, a.command, a.raised_at AS raisedAt
  FROM alert_delivery d JOIN alert a ON a.id = d.alert_id
  WHERE d.state = 'pending' AND (d.not_before <= @now OR d.not_before > @latest) AND d.receiver IN (SELECT value FROM json_each(@receivers))
  ORDER BY d.not_before, d.alert_id LIMIT @limit`;

/**
 * Reads: alert, alert_delivery by its index of pending ones. Writes: alert_delivery. A lease is an attempt: a process that dies loses it,
 * and a second call gets the deliveries whose lease has ended.
 */
export async function takeDeliveries(
  core: LedgerCore,
  { receivers, now, leaseMs, limit }: Asked<"takeDeliveries">,
): Promise<Answered<"takeDeliveries">> {
  const latest = latestWaitEnd(now, LONGEST_DELIVERY_WAIT_MS);
  const query = { receivers: JSON.stringify(receivers), now, latest, limit };
  if ((await core.read((tx) => tx.get<DueRow>(SELECT_DUE, query))) === undefined) {
    return [];
  }
  return core.write((tx) =>
    tx.all<DueRow>(SELECT_DUE, query).map(({ details, ...row }): DueDelivery => {
      tx.run`UPDATE alert_delivery SET attempts = ${row.attempt}, not_before = ${now + leaseMs} WHERE alert_id = ${row.alertId}
        AND receiver = ${row.receiver}`;
      return { ...row, details: JSON.parse(details) };
    }),
  );
}

const END_DELIVERY = `UPDATE alert_delivery SET state = @state, not_before = coalesce(@notBefore, not_before), last_error = @error, ended_at = @endedAt
  WHERE alert_id = @alertId AND receiver = @receiver AND attempts = @attempt AND state = 'pending'`;

/** Writes: alert_delivery. Idempotent by alert, receiver and attempt. */
export function endDelivery(tx: Tx, { alertId, receiver, attempt, outcome, now }: Asked<"endDelivery">): boolean {
  return tx.changed(END_DELIVERY, { alertId, receiver, attempt, ...toColumns(outcome, now) });
}

/** Writes: alert_delivery. Idempotent: what is pending or delivered stays as it is. Attempts count on, so the next failure is the last. */
export function retryGivenUp(tx: Tx, { receivers, now }: Asked<"retryGivenUp">): number {
  return tx.run`UPDATE alert_delivery SET state = 'pending', not_before = ${now}, ended_at = NULL
     WHERE state = 'given_up' AND receiver IN (SELECT value FROM json_each(${JSON.stringify(receivers)}))`.changes;
}

function toColumns(outcome: DeliveryOutcome, now: number) {
  switch (outcome.kind) {
    case "delivered":
      return { state: outcome.kind, notBefore: null, error: null, endedAt: now };
    case "retry":
      return { state: "pending", notBefore: outcome.notBefore, error: outcome.error, endedAt: null };
    case "given_up":
      return { state: outcome.kind, notBefore: null, error: outcome.error, endedAt: now };
    default:
      return outcome satisfies never;
  }
}
