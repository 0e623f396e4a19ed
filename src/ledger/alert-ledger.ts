/** Alerts and their deliveries: an outbox, so that a crash loses none. */

export const ALERT_KINDS = [
  "budget_80",
  "budget_exhausted",
  "run_failed",
  "in_doubt",
  "open_item",
  "unreported_for",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

export const ALERT_DELIVERY_STATES = ["pending", "delivered", "given_up"] as const;
export type AlertDeliveryState = (typeof ALERT_DELIVERY_STATES)[number];
