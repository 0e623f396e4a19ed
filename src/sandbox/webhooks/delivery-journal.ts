/**
 * What was delivered, in two views. The *records* are the gateway's own: one for each notification and subscription, as Get Webhook History
 * shows them. The *deliveries* are for whoever checks a receiver: they have the forged and replayed ones too, and the fate of each.
 */

/** Records, and deliveries, that are kept at most. The oldest are removed first. */
const MAX_KEPT = 100_000;

export type NotificationType = "CREATED" | "UPDATED";

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

/**
 * `waiting`: attempts go on. `delivered`: answered 2xx. `failed`: no attempt was. By a fault: `lost`: never sent, though the gateway has its
 * record. `doubled`: delivered twice. `late`: delivered later than the page was. `forged`: by somebody without the secret. `replayed`: an
 * older delivery, sent again with its signature.
 */
export const DELIVERY_FATES = [
  "waiting",
  "delivered",
  "failed",
  "lost",
  "doubled",
  "late",
  "forged",
  "replayed",
] as const;
export type DeliveryFate = (typeof DELIVERY_FATES)[number];

/** One delivery as the audit shows it. */
export interface Delivery {
  readonly subscriptionId: string;
  readonly contentUrl: string;
  readonly notificationType: NotificationType;
  /** The payload's. Null: it has none. */
  readonly timestamp: string | null;
  readonly fate: DeliveryFate;
  /** 0 when the receiver gave no answer, or nothing was sent. */
  readonly lastStatus: number;
  readonly numAttempts: number;
}

/** How many deliveries had which fate, and how many of the forged ones a receiver took. */
export type DeliveryTotals = Readonly<Record<DeliveryFate | "forgedTaken", number>>;

export class DeliveryJournal {
  #records: DeliveryRecord[] = [];
  #deliveries = new Map<number, Delivery>();
  #nextRecord = 0;
  #nextDelivery = 0;

  /** The number of a new record. Records are shown in this order. */
  nextSerial(): number {
    this.#nextRecord += 1;
    return this.#nextRecord - 1;
  }

  /** Adds a record, or replaces the one with its number. */
  store(record: DeliveryRecord): void {
    const index = this.#records.findLastIndex(({ serial }) => serial <= record.serial);
    if (this.#records[index]?.serial === record.serial) {
      this.#records[index] = record;
      return;
    }
    this.#records.splice(index + 1, 0, record);
    if (this.#records.length > MAX_KEPT) {
      this.#records.shift();
    }
  }

  /** Records older than a number and not attempted before an instant, newest first. */
  recordsBefore(serial: number, sinceAt: number, count: number): DeliveryRecord[] {
    const found: DeliveryRecord[] = [];
    for (let index = this.#records.length - 1; index >= 0 && found.length < count; index -= 1) {
      const record = this.#records[index] as DeliveryRecord;
      if (record.serial < serial && record.lastAttemptAt >= sinceAt) {
        found.push(record);
      }
    }
    return found;
  }

  /** Adds a delivery. The function that is returned changes it. */
  open(delivery: Delivery): (change: Partial<Delivery>) => void {
    const number = this.#nextDelivery;
    this.#nextDelivery += 1;
    this.#deliveries.set(number, delivery);
    if (this.#deliveries.size > MAX_KEPT) {
      this.#deliveries.delete(number - MAX_KEPT);
    }
    return (change) => {
      const known = this.#deliveries.get(number);
      if (known !== undefined) {
        this.#deliveries.set(number, { ...known, ...change });
      }
    };
  }

  /** Oldest first. */
  deliveries(): Delivery[] {
    return [...this.#deliveries.values()];
  }

  totals(): DeliveryTotals {
    const totals = { ...Object.fromEntries(DELIVERY_FATES.map((fate) => [fate, 0])), forgedTaken: 0 } as Record<
      DeliveryFate | "forgedTaken",
      number
    >;
    for (const { fate, lastStatus } of this.#deliveries.values()) {
      totals[fate] += 1;
      totals.forgedTaken += fate === "forged" && isTaken(lastStatus) ? 1 : 0;
    }
    return totals;
  }
}

/** Whether a receiver has taken a delivery. */
export function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}
