import type { Alert } from "../../../alert/alert.ts";
import type { AlertReceiver } from "../../alert-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Writes: alert_receiver. Idempotent by receiver and kind. */
export function createAdmitReceivers({ db, read, write }: LedgerCore): Ledger["admitReceivers"] {
  const find = db.prepare<[string, string], number>("SELECT 1 FROM alert_receiver WHERE receiver = ? AND kind = ?");
  const insert = db.prepare<[string, string, number]>(
    "INSERT INTO alert_receiver (receiver, kind, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  return async ({ receivers, now }) => {
    const pairs = receivers.flatMap(({ receiver, kinds }) => kinds.map((kind) => [receiver, kind] as const));
    const unknown = await read(() => pairs.filter((pair) => find.get(...pair) === undefined));
    if (unknown.length > 0) {
      await write(() => {
        for (const pair of unknown) {
          insert.run(...pair, now);
        }
      });
    }
  };
}

/**
 * Reads: alert by its key. Writes: alert, alert_delivery, together. Idempotent by key: what was raised before, by whatever process, is
 * neither raised nor delivered again.
 */
export function createRaiseAlerts({ db, read, write }: LedgerCore): Ledger["raiseAlerts"] {
  const find = db.prepare<[string], number>("SELECT id FROM alert WHERE key = ?");
  const findEpisode = db.prepare<[string, string], number>("SELECT id FROM alert WHERE key >= ? AND key < ? LIMIT 1");
  const insert = db
    .prepare<[string, string, string, string, number], number>(
      "INSERT INTO alert (kind, key, message, details, raised_at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
    )
    .pluck();
  const deliver = db.prepare<{ id: number; receiver: string; kind: string; at: number; now: number }>(
    // A receiver of a later time than now was configured under a clock that was ahead.
    `INSERT INTO alert_delivery (alert_id, receiver, state, not_before)
     SELECT @id, receiver, 'pending', @now FROM alert_receiver
     WHERE receiver = @receiver AND kind = @kind AND (since <= @at OR since > @now)`,
  );
  const isKnown = ({ key, unless }: Alert) =>
    find.get(key) !== undefined || (unless !== null && findEpisode.get(unless.from, unless.below) !== undefined);

  function raise(alert: Alert, receivers: readonly AlertReceiver[], now: number): boolean {
    const { kind, key, message, details, at } = alert;
    const id = isKnown(alert) ? undefined : insert.get(kind, key, message, JSON.stringify(details), now);
    if (id === undefined) {
      return false;
    }
    for (const { receiver } of receivers.filter((one) => isWanted(alert, one))) {
      deliver.run({ id, receiver, kind, at, now });
    }
    return true;
  }

  return async ({ alerts, receivers, now }) => {
    // The facts of an alert stay: in most scans, each of them is known.
    const unknown = await read(() => alerts.filter((alert) => !isKnown(alert)));
    if (unknown.length === 0) {
      return { raised: 0 };
    }
    return write(() => ({ raised: unknown.filter((alert) => raise(alert, receivers, now)).length }));
  };
}

function isWanted({ kind, isSilent, unreportedForMs }: Alert, receiver: AlertReceiver): boolean {
  return (
    !isSilent &&
    receiver.kinds.includes(kind) &&
    (unreportedForMs === null || unreportedForMs === receiver.unreportedForMs)
  );
}
