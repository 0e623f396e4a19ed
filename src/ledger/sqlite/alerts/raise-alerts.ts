import type { Alert } from "../../../alert/alert.ts";
import type { AlertReceiver } from "../../alert-ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";

/** Writes: alert_receiver. Idempotent by receiver and kind. */
export async function admitReceivers(core: LedgerCore, { receivers, now }: Asked<"admitReceivers">): Promise<void> {
  const pairs = receivers.flatMap(({ receiver, kinds }) => kinds.map((kind) => [receiver, kind] as const));
  const unknown = await core.read((tx) =>
    pairs.filter((pair) => !tx.has("SELECT 1 FROM alert_receiver WHERE receiver = ? AND kind = ?", ...pair)),
  );
  if (unknown.length > 0) {
    await core.write((tx) => {
      for (const pair of unknown) {
        tx.run(
          "INSERT INTO alert_receiver (receiver, kind, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
          ...pair,
          now,
        );
      }
    });
  }
}

// A receiver of a later time than now was configured under a clock that was ahead.
const INSERT_DELIVERY = `INSERT INTO alert_delivery (alert_id, receiver, state, not_before)
  SELECT @id, receiver, 'pending', @now FROM alert_receiver
  WHERE receiver = @receiver AND kind = @kind AND (since <= @at OR since > @now)`;

/**
 * Reads: alert by its key. Writes: alert, alert_delivery, together. Idempotent by key: what was raised before, by whatever process, is
 * neither raised nor delivered again.
 */
export async function raiseAlerts(
  core: LedgerCore,
  { alerts, receivers, now }: Asked<"raiseAlerts">,
): Promise<Answered<"raiseAlerts">> {
  // The facts of an alert stay: in most scans, each of them is known.
  const unknown = await core.read((tx) => alerts.filter((alert) => !isKnown(tx, alert)));
  if (unknown.length === 0) {
    return { raised: 0 };
  }
  return core.write((tx) => ({ raised: unknown.filter((alert) => raise(tx, alert, receivers, now)).length }));
}

function isKnown(tx: ReadTx, { key, unless }: Alert) {
  return (
    tx.get<number>`SELECT id FROM alert WHERE key = ${key}` !== undefined ||
    (unless !== null &&
      tx.get<number>`SELECT id FROM alert WHERE key >= ${unless.from} AND key < ${unless.below} LIMIT 1` !== undefined)
  );
}

function raise(tx: Tx, alert: Alert, receivers: readonly AlertReceiver[], now: number): boolean {
  const { kind, key, message, details, site, run, code, command, at } = alert;
  const id = isKnown(tx, alert)
    ? undefined
    : tx.value<number>`INSERT INTO alert (kind, key, message, details, site, run, code, command, raised_at)
      VALUES (${kind}, ${key}, ${message}, ${JSON.stringify(details)}, ${site}, ${run}, ${code}, ${command}, ${now}) ON CONFLICT DO NOTHING RETURNING id`;
  if (id === undefined) {
    return false;
  }
  for (const { receiver } of receivers.filter((one) => isWanted(alert, one))) {
    tx.run(INSERT_DELIVERY, { id, receiver, kind, at, now });
  }
  return true;
}

function isWanted({ kind, isSilent, unreportedForMs }: Alert, receiver: AlertReceiver): boolean {
  return (
    !isSilent &&
    receiver.kinds.includes(kind) &&
    (unreportedForMs === null || unreportedForMs === receiver.unreportedForMs)
  );
}
