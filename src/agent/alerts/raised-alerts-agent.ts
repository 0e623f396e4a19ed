/** `agent.raisedAlerts` and `agent.acknowledgeAlert`: what was raised, and who looks after it. */
import { type ActingOptions, toActedBy } from "../acts/acted-by.ts";
import type { Resources } from "../compose.ts";
import { type NewestQuery, readNewest } from "../reports/newest-first.ts";
import type { AcknowledgedAlert, RaisedAlertList, RaisedAlertsFilter } from "./raised-alerts.ts";
import { nameReceivers } from "./receiver-names.ts";

const USUAL_ALERTS = 50;

export async function raisedAlertsAgent(
  { config, ...resources }: Pick<Resources, "ledger" | "config">,
  { open = false, limit = USUAL_ALERTS, cursor }: RaisedAlertsFilter,
): Promise<RaisedAlertList> {
  const ledger = await resources.ledger("read");
  const read = (query: NewestQuery) => ledger.readAlerts({ ...query, isOpen: open });
  const { rows, nextCursor } = await readNewest({ limit, cursor }, read, ({ alertId }) => alertId);
  const alerts = rows.map((alert) => ({ ...alert, deliveries: nameReceivers(config, alert.deliveries) }));
  return { alerts, nextCursor };
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
