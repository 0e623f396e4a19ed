/** `agent.raisedAlerts` and `agent.acknowledgeAlert`: what was raised, and who looks after it. */
import type { AlertDelivery, RaisedAlert } from "../../ledger/alert-ledger.ts";
import { type ActingOptions, toActedBy } from "../acts/acted-by.ts";
import type { Resources } from "../compose.ts";
import { type NewestQuery, readNewest } from "../reports/newest-first.ts";
import { nameReceivers } from "./receiver-names.ts";

const USUAL_ALERTS = 50;

/** Which alerts are listed. */
export interface RaisedAlertsFilter {
  /** Only alerts that nobody looks after. @default false */
  readonly open?: boolean | undefined;
  /** At most so many. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before, with the same filter. @default from the newest alert */
  readonly cursor?: string | undefined;
}

/** An alert that was raised, who looks after it, and who was told. */
export interface ListedAlert extends Omit<RaisedAlert, "deliveries"> {
  /** One for each receiver that wanted it when it was raised. `to`: the receiver's host or program. */
  readonly deliveries: readonly (Omit<AlertDelivery, "receiver"> & { readonly to: string })[];
}

/** `alerts --raised --json`: the newest alerts first. Old ones are pruned. */
export interface RaisedAlertList {
  readonly alerts: readonly ListedAlert[];
  /** Give it as `cursor` to read on. Null: there are no older ones. */
  readonly nextCursor: string | null;
}

/** `alerts --acknowledge ALERT --json`. */
export interface AcknowledgedAlert {
  readonly alertId: number;
  /** False: somebody looked after it before. The first word stays. */
  readonly isNew: boolean;
}

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
