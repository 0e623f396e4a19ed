/** What is read of a delivery record of the gateway, and how it waits until all records of its page are there. */
import type { Config, WebhookConfig } from "../../config/config.ts";
import type { DeliveryRecord } from "../../gateway/gateway.ts";
import type { SpoolRow } from "../../ledger/spool.ts";
import type { AttemptRecord } from "../../webhook/missed-records.ts";
import { parseNotificationKind, parseTimestamp } from "../../webhook/notification.ts";
import { createAdmission } from "./admit-notification.ts";

export interface Attempt extends AttemptRecord {
  /** The id of the webhook in the configuration. */
  readonly subscription: string;
  /** As it was received. */
  readonly contentUrl: string;
}

/** The row of an attempt: those of a page lie together. */
export function toSpoolRow(attempt: Attempt): SpoolRow {
  return { key: `${attempt.kind} ${attempt.wireUrl}`, at: attempt.at ?? 0, text: JSON.stringify(attempt) };
}

export function toAttempt({ text }: SpoolRow): Attempt {
  return JSON.parse(text);
}

/** Null for a record of another subscriber's URL, of a page that is not bought, and for one that says nothing. */
export function createRecordReader({
  sites,
  webhooks,
}: Pick<Config, "sites" | "webhooks">): (record: DeliveryRecord) => Attempt | null {
  const admit = createAdmission(sites);
  const subscriptions = new Map(webhooks.map(({ id, url }) => [comparableUrl(url), id]));
  return ({ contentUrl, deliveryUrl, eventType, lastAttempt, lastStatus, numAttempts }) => {
    const kind = parseNotificationKind(eventType);
    const subscription = subscriptionOf(deliveryUrl, subscriptions, webhooks);
    if (contentUrl === null || kind === null || subscription === null) {
      return null;
    }
    const { timestamp, at } = parseTimestamp(lastAttempt);
    const hint = admit({ contentUrl, kind, timestamp, at }, { subscription, source: "history" });
    if (hint === null || hint.state !== "waiting") {
      return null;
    }
    return {
      wireUrl: hint.wireUrl,
      kind,
      lastAttempt: timestamp,
      at,
      attempts: numAttempts,
      isAnswered: lastStatus !== null && lastStatus >= 200 && lastStatus < 300,
      subscription,
      contentUrl,
    };
  };
}

/** A record without a delivery URL cannot be of another subscriber for all that is known. */
function subscriptionOf(
  deliveryUrl: string | null,
  subscriptions: ReadonlyMap<string, string>,
  webhooks: readonly WebhookConfig[],
): string | null {
  return deliveryUrl === null ? (webhooks[0]?.id ?? null) : (subscriptions.get(comparableUrl(deliveryUrl)) ?? null);
}

/** Gateways write a URL in other spellings: letters of the host, a default port, a slash at the end. The query belongs to it. */
function comparableUrl(text: string): string {
  const url = URL.parse(text.trim());
  return url === null ? text : `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}${url.search}`;
}
