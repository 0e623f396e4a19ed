/** `agent.raisedAlerts` and `agent.acknowledgeAlert`: what was raised, and who looks after it. */
import { type ActingOptions, toActedBy } from "../acts/acted-by.ts";
import type { Resources } from "../compose.ts";
import type { AcknowledgedAlert, RaisedAlertList, RaisedAlertsFilter } from "./raised-alerts.ts";

const USUAL_ALERTS = 50;

export async function raisedAlertsAgent(
  { ledger }: Pick<Resources, "ledger">,
  { open = false, limit = USUAL_ALERTS, cursor }: RaisedAlertsFilter,
): Promise<RaisedAlertList> {
  const before = cursor === undefined ? null : Number(cursor);
  // One more than is shown says whether there are older ones.
  const read = await (await ledger("read")).readAlerts({ before, isOpen: open, limit: limit + 1 });
  const alerts = read.slice(0, limit);
  return { alerts, nextCursor: read.length > limit ? String(alerts.at(-1)?.alertId) : null };
}

/** @throws LicetError ALERT_NOT_FOUND */
export async function acknowledgeAlertAgent(
  resources: Pick<Resources, "ledger" | "clock" | "systemUser">,
  alertId: number,
  acting: ActingOptions,
): Promise<AcknowledgedAlert> {
  const ledger = await resources.ledger("existing");
  const who = toActedBy(resources, acting);
  return { alertId, isNew: await ledger.acknowledgeAlert({ alertId, who, now: resources.clock.now() }) };
}
