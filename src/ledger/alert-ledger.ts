/** Alerts and their deliveries: an outbox, so that a crash loses none. Each alert is raised once, and delivered at least once. */
import type { ActedBy } from "../act/act.ts";
import type { Alert, AlertAbout, AlertDetails, AlertKind } from "../alert/alert.ts";
import type { AlertFacts } from "../alert/alert-facts.ts";
import type { Budget } from "../budget/budget.ts";

export const ALERT_DELIVERY_STATES = ["pending", "delivered", "given_up"] as const;

/** A receiver is named by a digest, because its URL may contain a secret. */
export interface AlertReceiver {
  readonly receiver: string;
  readonly kinds: readonly AlertKind[];
  /** Of which duration it is told with `unreported_for`. */
  readonly unreportedForMs: number | null;
}

/** A delivery that the caller has to make now. */
export interface DueDelivery extends AlertAbout {
  readonly alertId: number;
  readonly receiver: string;
  /** Counts from 1. It is the fence of the delivery: what an earlier attempt says of it is stale. */
  readonly attempt: number;
  readonly kind: AlertKind;
  readonly key: string;
  readonly message: string;
  readonly details: AlertDetails;
  readonly raisedAt: number;
}

/** `retry`: at `notBefore`. The error is for people, without the receiver's URL. */
export type DeliveryOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly notBefore: number; readonly error: string }
  | { readonly kind: "given_up"; readonly error: string };

/** An alert that did not reach a receiver, or not yet. */
export interface UndeliveredAlert {
  readonly receiver: string;
  readonly state: "pending" | "given_up";
  readonly kind: AlertKind;
  readonly message: string;
  readonly raisedAt: number;
  readonly attempts: number;
  readonly error: string | null;
}

/** What one receiver was told of an alert, or is still to be told. */
export interface AlertDelivery {
  readonly receiver: string;
  readonly state: (typeof ALERT_DELIVERY_STATES)[number];
  /** Attempts that were begun. */
  readonly attempts: number;
  /** What the last answer was, where it was not that the alert is taken. Null: none failed. */
  readonly error: string | null;
  /** When it is tried next, epoch ms. Null: it has ended. */
  readonly nextAttemptAt: number | null;
  /** When it was taken or given up, epoch ms. */
  readonly endedAt: number | null;
}

/** An alert that was raised, whoever was told. */
export interface RaisedAlert extends AlertAbout {
  readonly alertId: number;
  readonly kind: AlertKind;
  /** One sentence, without text from the network. */
  readonly message: string;
  /** Epoch ms. */
  readonly raisedAt: number;
  /** Who looks after it, since when, and what that person says. Null: nobody has said so. */
  readonly acknowledged: { readonly at: number; readonly by: string | null; readonly reason: string | null } | null;
  /** One for each receiver that wanted it when it was raised. */
  readonly deliveries: readonly AlertDelivery[];
}

export interface AlertStatus {
  /** All that are pending. */
  readonly pending: number;
  /** Pending ones and given up ones among the newest alerts, newest first. */
  readonly undelivered: readonly UndeliveredAlert[];
}

export interface AlertLedger {
  /** Writes down since when each receiver is told of each kind. Idempotent: the first call of a receiver and a kind counts. */
  admitReceivers(request: { readonly receivers: readonly AlertReceiver[]; readonly now: number }): Promise<void>;
  /**
   * What can be a reason for an alert. Reads a few rows of indexes; at most some hundred open items at once.
   * @param query.since facts that happened before are left out, but for conditions that last
   */
  readAlertFacts(query: {
    readonly budgets: readonly Budget[];
    readonly since: number;
    readonly now: number;
  }): Promise<AlertFacts>;
  /** Raises those that are new, each with one delivery for each receiver that wants it and was configured when it happened. */
  raiseAlerts(request: {
    readonly alerts: readonly Alert[];
    readonly receivers: readonly AlertReceiver[];
    readonly now: number;
  }): Promise<{ readonly raised: number }>;
  /** Leases due deliveries, the oldest first: until the lease ends nobody else gets them. An empty array: none is due. */
  takeDeliveries(request: {
    readonly receivers: readonly string[];
    readonly now: number;
    readonly leaseMs: number;
    readonly limit: number;
  }): Promise<readonly DueDelivery[]>;
  /** @returns whether it was recorded: not when a later attempt was begun, or it had ended */
  endDelivery(request: {
    readonly alertId: number;
    readonly receiver: string;
    readonly attempt: number;
    readonly outcome: DeliveryOutcome;
    readonly now: number;
  }): Promise<boolean>;
  /**
   * Makes the deliveries due again that were given up for these receivers: a person has mended them. Each is tried once more, and given up
   * again if it fails. @returns how many
   */
  retryGivenUp(request: { readonly receivers: readonly string[]; readonly now: number }): Promise<number>;
  readAlertStatus(): Promise<AlertStatus>;
  /**
   * The newest alerts with their deliveries, the newest first. @param query.before only older ones than this number. Null: from the newest one
   * @param query.isOpen only those that nobody looks after
   */
  readAlerts(query: {
    readonly before: number | null;
    readonly isOpen: boolean;
    readonly limit: number;
  }): Promise<readonly RaisedAlert[]>;
  /**
   * Writes down that a person looks after an alert. Receivers that are still to be told are told all the same.
   * @returns false when somebody does already @throws LicetError ALERT_NOT_FOUND
   */
  acknowledgeAlert(word: { readonly alertId: number; readonly who?: ActedBy; readonly now: number }): Promise<boolean>;
}
