/**
 * What a delivery from a known sender does: its hint is on disk before it is answered. Nothing else happens here. The webhook run of the
 * day takes the hint from the ledger.
 */
import { assertLicetError, type LicetError } from "../../errors.ts";
import type { HintLedger, NewHint } from "../../ledger/hint-ledger.ts";
import type { Clock } from "../../time/clock.ts";
import { parseNotification } from "../../webhook/notification.ts";
import type { AdmitNotification } from "./admit-notification.ts";
import type { DeliveryOutcome } from "./delivery-outcomes.ts";
import { createRateLimiter, SITE_HINT_RATE, UNKNOWN_SITE_RATE } from "./hint-rate.ts";

export interface ReceiverDeps {
  readonly ledger: () => Promise<HintLedger>;
  readonly clock: Pick<Clock, "now">;
  readonly admit: AdmitNotification;
  /** Called when a hint that waits for a run is on disk. */
  readonly onHint: () => void;
}

export type Received =
  | { readonly outcome: Extract<DeliveryOutcome, "recorded" | "known" | "unknown_site" | "excluded"> }
  | { readonly outcome: "invalid"; readonly detail: string }
  | { readonly outcome: "rate"; readonly retryAfterMs: number }
  /** Nothing is on disk: the sender has to try again. */
  | { readonly outcome: "unwritable"; readonly error: LicetError };

export type ReceiveDelivery = (body: Uint8Array, subscription: string) => Promise<Received>;

export function createReceiver(deps: ReceiverDeps): ReceiveDelivery {
  const siteRate = createRateLimiter(SITE_HINT_RATE, deps.clock);
  const unknownRate = createRateLimiter(UNKNOWN_SITE_RATE, deps.clock);
  const recent = new RecentHints();
  return async (body, subscription) => {
    const hint = readHint(body, subscription, deps.admit);
    if (typeof hint === "string") {
      return { outcome: "invalid", detail: hint };
    }
    if (recent.has(hint)) {
      return { outcome: "known" };
    }
    if (hint.host === null && unknownRate.take("") > 0) {
      // Nothing is lost: it would not be looked at. The sender is not asked to try again.
      return { outcome: "unknown_site" };
    }
    const retryAfterMs = hint.host === null ? 0 : siteRate.take(hint.host);
    if (retryAfterMs > 0) {
      return { outcome: "rate", retryAfterMs };
    }
    return record(hint, recent, deps);
  };
}

async function record(hint: NewHint, recent: RecentHints, deps: ReceiverDeps): Promise<Received> {
  let isNew: boolean;
  try {
    const ledger = await deps.ledger();
    const { results } = await ledger.recordHints({ hints: [hint], now: deps.clock.now() });
    isNew = results[0] === "recorded";
  } catch (error) {
    assertLicetError(error);
    return { outcome: "unwritable", error };
  }
  recent.add(hint);
  if (!isNew) {
    return { outcome: "known" };
  }
  if (hint.state !== "waiting") {
    return { outcome: hint.state };
  }
  deps.onHint();
  return { outcome: "recorded" };
}

/** A text says what is wrong. It repeats nothing of the body. */
function readHint(body: Uint8Array, subscription: string, admit: AdmitNotification): NewHint | string {
  const parsed = parseNotification(parseJson(body));
  if (!parsed.ok) {
    return parsed.field === null
      ? "the body is not a JSON object in UTF-8"
      : `the field ${parsed.field} is missing, or is not one that a notification has`;
  }
  return (
    admit(parsed.notification, { subscription, source: "delivery" }) ??
    "the field contentUrl is not the address of a page"
  );
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

/** About two megabytes. */
const MAX_RECENT = 10_000;

/**
 * The hints that were recorded last. A repeated delivery then costs no commit, and no place of its site's rate. The ledger has them
 * all: a hint that is not remembered here is found there.
 */
class RecentHints {
  readonly #keys = new Set<string>();

  has(hint: NewHint): boolean {
    return this.#keys.has(keyOf(hint));
  }

  /** One without a date is left to the ledger: a day later it is another notification. */
  add(hint: NewHint): void {
    if (hint.at === null) {
      return;
    }
    this.#keys.add(keyOf(hint));
    if (this.#keys.size > MAX_RECENT) {
      for (const oldest of this.#keys) {
        this.#keys.delete(oldest);
        return;
      }
    }
  }
}

function keyOf({ wireUrl, timestamp, kind }: NewHint): string {
  return JSON.stringify([wireUrl, timestamp, kind]);
}
