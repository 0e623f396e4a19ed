/**
 * Signed notifications of new and changed pages, and the record of their delivery.
 *
 * There is one record for each notification and subscription. Each attempt updates the record. A 2xx answer ends the delivery. After any
 * other answer, and after none, the next attempt follows when the configured wait is over.
 */
import { createHmac } from "node:crypto";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Clock } from "../time/clock.ts";
import { type GatewayNames, writeTimestamp } from "./gateway-names.ts";
import type { WebhookSubscription } from "./options.ts";
import { hashText } from "./random.ts";

const ATTEMPT_TIMEOUT_MS = 10_000;
/** Stored records at most. The oldest are removed first. */
const MAX_RECORDS = 100_000;

/** A webhook delivery record of the specification, with the fields that the history needs for its pages. */
export interface DeliveryRecord {
  readonly serial: number;
  /** Epoch ms. */
  readonly lastAttemptAt: number;
  readonly subscriptionId: string;
  readonly contentUrl: string;
  readonly deliveryUrl: string;
  readonly eventType: "CREATE" | "UPDATE";
  readonly lastAttempt: string;
  /** 0 when the receiver gave no answer. */
  readonly lastStatus: number;
  readonly numAttempts: number;
}

interface WebhookDeps {
  readonly clock: Clock;
  readonly names: GatewayNames;
  readonly deliveryAgent: string;
  readonly retryMs: readonly number[];
}

/** Sends notifications and stores their history. */
export class Webhooks {
  readonly #deps: WebhookDeps;
  readonly #subscriptions: WebhookSubscription[];
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #records: DeliveryRecord[] = [];
  #serial = 0;

  constructor(deps: WebhookDeps, subscriptions: readonly WebhookSubscription[]) {
    this.#deps = deps;
    this.#subscriptions = [...subscriptions];
  }

  subscribe(subscription: WebhookSubscription): void {
    this.#subscriptions.push(subscription);
  }

  /** Notifies every subscriber of the host. Resolves with the final records when all deliveries have ended. */
  notify(page: { url: string; host: string }, notificationType: "CREATED" | "UPDATED"): Promise<DeliveryRecord[]> {
    const at = this.#deps.clock.now();
    const payload = JSON.stringify({
      sourceCuid: `acct-${hashText(page.host).toString(36)}`,
      sourceHost: page.host,
      contentUrl: page.url,
      timestamp: writeTimestamp(this.#deps.names, at),
      notificationType,
    });
    const subscribers = this.#subscriptions.filter(({ hosts }) => hosts === undefined || hosts.includes(page.host));
    const deliveries = Promise.all(
      subscribers.map((subscription) => this.#deliver(subscription, page.url, notificationType, payload)),
    );
    this.#running.add(deliveries);
    return deliveries.finally(() => this.#running.delete(deliveries));
  }

  /** Resolves when no delivery is in progress. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.all(this.#running);
    }
  }

  /** Records older than a serial and not attempted before an instant, newest first. */
  historyBefore(serial: number, sinceAt: number, count: number): DeliveryRecord[] {
    const found: DeliveryRecord[] = [];
    for (let index = this.#records.length - 1; index >= 0 && found.length < count; index -= 1) {
      const record = this.#records[index] as DeliveryRecord;
      if (record.serial < serial && record.lastAttemptAt >= sinceAt) {
        found.push(record);
      }
    }
    return found;
  }

  /** Ends all deliveries. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.settled();
  }

  async #deliver(
    subscription: WebhookSubscription,
    contentUrl: string,
    notificationType: "CREATED" | "UPDATED",
    payload: string,
  ): Promise<DeliveryRecord> {
    const serial = this.#serial;
    this.#serial += 1;
    const eventType = notificationType === "CREATED" ? "CREATE" : "UPDATE";
    const waits = [0, ...this.#deps.retryMs];
    let record: DeliveryRecord | undefined;
    for (const [attempt, waitMs] of waits.entries()) {
      if (attempt > 0) {
        await this.#deps.clock.sleep(waitMs, this.#stop.signal);
      }
      if (this.#stop.signal.aborted && record !== undefined) {
        break;
      }
      const lastStatus = await this.#attempt(subscription, payload);
      const lastAttemptAt = this.#deps.clock.now();
      record = {
        serial,
        lastAttemptAt,
        subscriptionId: subscription.id,
        contentUrl,
        deliveryUrl: subscription.url,
        eventType,
        lastAttempt: new Date(lastAttemptAt).toISOString(),
        lastStatus,
        numAttempts: attempt + 1,
      };
      this.#store(record);
      if (lastStatus >= 200 && lastStatus < 300) {
        break;
      }
    }
    return record as DeliveryRecord;
  }

  #store(record: DeliveryRecord): void {
    const index = this.#records.findIndex(({ serial }) => serial === record.serial);
    if (index >= 0) {
      this.#records[index] = record;
      return;
    }
    this.#records.push(record);
    this.#records.sort((left, right) => left.serial - right.serial);
    if (this.#records.length > MAX_RECORDS) {
      this.#records.shift();
    }
  }

  /** The status of one attempt; 0 for no answer. */
  #attempt(subscription: WebhookSubscription, payload: string): Promise<number> {
    return new Promise((resolve) => {
      const send = subscription.url.startsWith("https:") ? requestHttps : requestHttp;
      const request = send(
        subscription.url,
        {
          method: "POST",
          agent: false,
          signal: this.#stop.signal,
          timeout: ATTEMPT_TIMEOUT_MS,
          headers: {
            "content-type": "application/json",
            "content-length": Buffer.byteLength(payload),
            "user-agent": this.#deps.deliveryAgent,
            authorization: signUrl(subscription),
          },
        },
        (response) => {
          response.resume();
          response.once("close", () => resolve(response.statusCode ?? 0));
        },
      );
      request.once("timeout", () => request.destroy());
      request.once("error", () => resolve(0));
      request.end(payload);
    });
  }
}

/** The signature covers the delivery URL and nothing else. */
export function signUrl(subscription: WebhookSubscription): string {
  const digest = createHmac("sha256", subscription.secret)
    .update(subscription.url)
    .digest(subscription.encoding ?? "hex");
  return `${subscription.prefix ?? ""}${digest}`;
}
