/**
 * Signed notifications of new and changed pages, and the record of their delivery.
 *
 * There is one record for each notification and subscription. Each attempt updates the record. A 2xx answer ends the delivery. After any
 * other answer, and after none, the next attempt follows when the configured wait is over. Faults lose, double and delay deliveries, and
 * add some that a gateway would not send: forged and replayed ones.
 */
import type { Clock } from "../../time/clock.ts";
import type { FaultName } from "../faults/fault-names.ts";
import type { FaultInjector } from "../faults/faults.ts";
import type { WebhookSubscription } from "../options.ts";
import { type GatewayNames, writeTimestamp } from "../profile/gateway-names.ts";
import { createRandom, hashText } from "../random.ts";
import {
  type DeliveryFate,
  DeliveryJournal,
  type DeliveryRecord,
  isTaken,
  type NotificationType,
} from "./delivery-journal.ts";
import { sendDelivery, signUrl } from "./send-delivery.ts";
import { type GivenSubscription, Subscriptions } from "./subscriptions.ts";

/** Notifications of a subscription that a replay chooses from. */
const MAX_REPLAYABLE = 100;
/** What a forger signs with: whoever knows the secret does not forge. */
const FORGED_SECRET = "a secret that the subscription does not have";

interface WebhookDeps {
  readonly clock: Clock;
  readonly names: GatewayNames;
  readonly deliveryAgent: string;
  readonly retryMs: readonly number[];
  /** How long a `webhook-late` delivery waits. */
  readonly lateMs: number;
  readonly faults: FaultInjector;
  readonly seed: number;
}

interface Notification {
  readonly contentUrl: string;
  readonly notificationType: NotificationType;
  /** Undefined: this deployment leaves timestamps out. */
  readonly timestamp: string | undefined;
  readonly payload: string;
}

/** What an attempt came to. */
interface Attempted {
  readonly lastStatus: number;
  readonly numAttempts: number;
}

/** Sends notifications and keeps their history. */
export class Webhooks {
  readonly subscriptions: Subscriptions;
  readonly journal = new DeliveryJournal();
  readonly #deps: WebhookDeps;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  /** By subscription, the notifications that its receiver took last. */
  readonly #taken = new Map<string, Notification[]>();
  #forged = 0;

  constructor(deps: WebhookDeps, subscriptions: readonly GivenSubscription[]) {
    this.#deps = deps;
    this.#random = createRandom(deps.seed);
    this.subscriptions = new Subscriptions(subscriptions);
  }

  /** Notifies every subscriber of the host. Resolves with the final records when all deliveries have ended. */
  notify(page: { url: string; host: string }, notificationType: NotificationType): Promise<DeliveryRecord[]> {
    const notification = this.#describe(page, notificationType);
    const deliveries = Promise.all(
      this.subscriptions.of(page.host).map(async (subscription) => {
        const fault = this.#deps.faults.next("webhook");
        if (fault !== null) {
          this.#deps.faults.countFired(fault);
        }
        const [record] = await Promise.all([
          this.#deliver(subscription, notification, fault),
          fault === "webhook-forged" ? this.#forge(subscription, page) : undefined,
          fault === "webhook-replayed" ? this.#replay(subscription, notification) : undefined,
        ]);
        return record;
      }),
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

  /** Ends all deliveries. */
  async close(): Promise<void> {
    this.#stop.abort();
    await this.settled();
  }

  #describe(page: { url: string; host: string }, notificationType: NotificationType): Notification {
    const timestamp = writeTimestamp(this.#deps.names, this.#deps.clock.now());
    const payload = JSON.stringify({
      sourceCuid: `acct-${hashText(page.host).toString(36)}`,
      sourceHost: page.host,
      contentUrl: page.url,
      timestamp,
      notificationType,
    });
    return { contentUrl: page.url, notificationType, timestamp, payload };
  }

  async #deliver(
    subscription: WebhookSubscription,
    notification: Notification,
    fault: FaultName | null,
  ): Promise<DeliveryRecord> {
    const change = this.#open(subscription, notification, "waiting");
    if (fault === "webhook-late") {
      await this.#deps.clock.sleep(this.#deps.lateMs, this.#stop.signal);
    }
    const serial = this.journal.nextSerial();
    const attempt = () => (fault === "webhook-lost" ? Promise.resolve(0) : this.#send(subscription, notification));
    let last = await this.#attempt(attempt, (attempted) => {
      this.journal.store(this.#toRecord(serial, subscription, notification, attempted));
      change(attempted);
    });
    const isDelivered = isTaken(last.lastStatus);
    if (isDelivered && fault === "webhook-doubled") {
      last = { lastStatus: await attempt(), numAttempts: last.numAttempts + 1 };
    }
    const record = this.#toRecord(serial, subscription, notification, last);
    this.journal.store(record);
    change({ ...last, fate: toFate(isDelivered, fault) });
    if (isDelivered) {
      this.#remember(subscription, notification);
    }
    return record;
  }

  /** Tries until an attempt is taken, or no wait is left. */
  async #attempt(attempt: () => Promise<number>, onAttempt: (attempted: Attempted) => void): Promise<Attempted> {
    let attempted: Attempted = { lastStatus: 0, numAttempts: 0 };
    for (const waitMs of [0, ...this.#deps.retryMs]) {
      if (attempted.numAttempts > 0) {
        await this.#deps.clock.sleep(waitMs, this.#stop.signal);
        if (this.#stop.signal.aborted) {
          break;
        }
      }
      attempted = { lastStatus: await attempt(), numAttempts: attempted.numAttempts + 1 };
      onAttempt(attempted);
      if (isTaken(attempted.lastStatus)) {
        break;
      }
    }
    return attempted;
  }

  /** Somebody who has seen a delivery, but not the secret, announces a page that nobody has published. */
  async #forge(subscription: WebhookSubscription, { host }: { host: string }): Promise<void> {
    this.#forged += 1;
    const notification = this.#describe({ url: `https://${host}/forged/${this.#forged}`, host }, "CREATED");
    const change = this.#open(subscription, notification, "forged");
    change({ lastStatus: await this.#send({ ...subscription, secret: FORGED_SECRET }, notification), numAttempts: 1 });
  }

  /** Somebody sends again what was delivered before, with its signature, which is right. */
  async #replay(subscription: WebhookSubscription, current: Notification): Promise<void> {
    const known = this.#taken.get(subscription.id) ?? [];
    const notification = known[Math.floor(this.#random() * known.length)] ?? current;
    const change = this.#open(subscription, notification, "replayed");
    change({ lastStatus: await this.#send(subscription, notification), numAttempts: 1 });
  }

  #send(subscription: WebhookSubscription, { payload }: Notification): Promise<number> {
    const { url } = subscription;
    const userAgent = this.#deps.deliveryAgent;
    return sendDelivery({ url, payload, userAgent, authorization: signUrl(subscription) }, this.#stop.signal);
  }

  #open({ id }: WebhookSubscription, { contentUrl, notificationType, timestamp }: Notification, fate: DeliveryFate) {
    const delivery = { subscriptionId: id, contentUrl, notificationType, timestamp: timestamp ?? null, fate };
    return this.journal.open({ ...delivery, lastStatus: 0, numAttempts: 0 });
  }

  #toRecord(
    serial: number,
    { id, url }: WebhookSubscription,
    { contentUrl, notificationType }: Notification,
    attempted: Attempted,
  ): DeliveryRecord {
    const lastAttemptAt = this.#deps.clock.now();
    return {
      serial,
      lastAttemptAt,
      subscriptionId: id,
      contentUrl,
      deliveryUrl: url,
      eventType: notificationType === "CREATED" ? "CREATE" : "UPDATE",
      lastAttempt: new Date(lastAttemptAt).toISOString(),
      ...attempted,
    };
  }

  #remember({ id }: WebhookSubscription, notification: Notification): void {
    const known = this.#taken.get(id) ?? [];
    this.#taken.set(id, [...known, notification].slice(-MAX_REPLAYABLE));
  }
}

function toFate(isDelivered: boolean, fault: FaultName | null): DeliveryFate {
  if (fault === "webhook-lost") {
    return "lost";
  }
  if (!isDelivered) {
    return "failed";
  }
  return fault === "webhook-doubled" ? "doubled" : fault === "webhook-late" ? "late" : "delivered";
}
