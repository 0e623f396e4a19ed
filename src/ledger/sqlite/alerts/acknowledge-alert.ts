import { LicetError } from "../../../errors.ts";
import { recordAct } from "../acts/record-act.ts";
import type { Answered, Asked, Tx } from "../operation.ts";

/** Writes: alert, act. A second call changes nothing: the first word stays. */
export function acknowledgeAlert(
  tx: Tx,
  { alertId, who, now }: Asked<"acknowledgeAlert">,
): Answered<"acknowledgeAlert"> {
  const found = tx.get<{
    key: string;
    isOpen: number;
  }>`SELECT key, acknowledged_by IS NULL AS isOpen FROM alert WHERE id = ${alertId}`;
  if (found === undefined) {
    throw new LicetError("ALERT_NOT_FOUND", `there is no alert ${alertId}`, {
      hint: "`licet alerts --raised` lists the alerts. Old ones are pruned.",
      details: { alertId },
    });
  }
  if (found.isOpen === 0) {
    return false;
  }
  const actId = recordAct(tx, { kind: "alert_acknowledged", who, alertKey: found.key, now });
  tx.run`UPDATE alert SET acknowledged_by = ${actId} WHERE id = ${alertId}`;
  return true;
}
