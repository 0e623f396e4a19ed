/** What `agent.raisedAlerts` and `agent.acknowledgeAlert` take and return. */
import type { AlertDelivery, RaisedAlert } from "../../ledger/alert-ledger.ts";

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
