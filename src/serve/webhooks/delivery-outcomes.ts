/** What came of each webhook delivery, counted since the service started. */

export const DELIVERY_OUTCOMES = [
  "recorded",
  "known",
  "unknown_site",
  "excluded",
  "source_address",
  "user_agent",
  "signature",
  "too_large",
  "invalid",
  "rate",
  "unwritable",
  "unknown_path",
] as const;
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number];

/** Where the id of a webhook would be. A configured id is not empty. */
export const NO_WEBHOOK = "";

/** The deliveries of one webhook by outcome. */
export type DeliveryCounts = Readonly<Record<DeliveryOutcome, number>>;

export interface DeliveryCounter {
  count(webhookId: string, outcome: DeliveryOutcome): void;
  /**
   * By the id of the webhook. Every configured webhook is there, and every outcome, so that a rate has its zeros. The id "" stands for deliveries
   * to a path that is not near that of a webhook.
   */
  counts(): ReadonlyMap<string, DeliveryCounts>;
}

export function createDeliveryCounter(webhooks: readonly { readonly id: string }[]): DeliveryCounter {
  const ids = webhooks.length === 0 ? [] : [...webhooks.map(({ id }) => id), NO_WEBHOOK];
  const byWebhook = new Map(ids.map((id) => [id, noDeliveries()]));
  return {
    count: (webhookId, outcome) => {
      const counts = byWebhook.get(webhookId);
      if (counts !== undefined) {
        counts[outcome] += 1;
      }
    },
    counts: () => byWebhook,
  };
}

function noDeliveries(): Record<DeliveryOutcome, number> {
  return Object.fromEntries(DELIVERY_OUTCOMES.map((outcome) => [outcome, 0])) as Record<DeliveryOutcome, number>;
}
