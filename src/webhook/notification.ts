/**
 * What a webhook delivery says: a page was created or updated. Nothing proves it, so it is a hint: a reason to look at the page under the
 * same policies and budgets as any other. Every function here accepts any value and never throws.
 */
import { parseLastMod } from "../catalog/last-mod.ts";
import { MAX_PAGE_URL_CHARS } from "../catalog/page-url.ts";

export interface Notification {
  readonly contentUrl: string;
  readonly kind: "created" | "updated";
  /** As it was received, so that two deliveries of one event are found equal. Empty: none was given. */
  readonly timestamp: string;
  /** The timestamp as epoch ms. Null when it cannot be read. */
  readonly at: number | null;
}

export type ParsedNotification =
  | { readonly ok: true; readonly notification: Notification }
  | {
      readonly ok: false;
      /** The field that is missing or of another type. Null: the value is not an object. */
      readonly field: "contentUrl" | "notificationType" | null;
    };

/** An instant with nanoseconds and an offset has 35 characters. Of a longer text the beginning is kept. */
const MAX_TIMESTAMP_CHARS = 64;
/** Cannot be stored as UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

/** The payload says CREATED, a delivery record CREATE. */
const KINDS: Readonly<Record<string, Notification["kind"]>> = {
  CREATED: "created",
  CREATE: "created",
  UPDATED: "updated",
  UPDATE: "updated",
};

/** An epoch count is in the unit that makes it a date of this century, in ms: seconds, milliseconds, microseconds, nanoseconds. */
const EPOCH_UNITS = [1e3, 1, 1e-3, 1e-6];
const EPOCH_FROM = Date.UTC(2001, 0, 1);
const EPOCH_TO = Date.UTC(2100, 0, 1);

/** Fields that are not known are ignored. The host is that of `contentUrl`: nothing is decided by what the payload says of it. */
export function parseNotification(value: unknown): ParsedNotification {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { ok: false, field: null };
  }
  const contentUrl = readField(value, "contentUrl");
  if (typeof contentUrl !== "string" || contentUrl === "" || contentUrl.length > MAX_PAGE_URL_CHARS) {
    return { ok: false, field: "contentUrl" };
  }
  const kind = parseNotificationKind(readField(value, "notificationType"));
  if (kind === null) {
    return { ok: false, field: "notificationType" };
  }
  return { ok: true, notification: { contentUrl, kind, ...parseTimestamp(readField(value, "timestamp")) } };
}

/** Reads `notificationType` of a payload, or `eventType` of a delivery record. Null for any other word. */
export function parseNotificationKind(value: unknown): Notification["kind"] | null {
  const word = typeof value === "string" ? value.toUpperCase() : "";
  return Object.hasOwn(KINDS, word) ? (KINDS[word] ?? null) : null;
}

/** A text (ISO 8601), or a number as one description of the payload says. */
export function parseTimestamp(value: unknown): Pick<Notification, "timestamp" | "at"> {
  if (typeof value !== "string" && typeof value !== "number") {
    return { timestamp: "", at: null };
  }
  const timestamp = String(value).slice(0, MAX_TIMESTAMP_CHARS).replace(LONE_SURROGATE, "\ufffd");
  return { timestamp, at: /^\d{10,19}(?:\.\d+)?$/.test(timestamp) ? parseEpoch(timestamp) : parseLastMod(timestamp) };
}

function parseEpoch(digits: string): number | null {
  const count = Number(digits);
  for (const unit of EPOCH_UNITS) {
    const at = Math.floor(count * unit);
    if (at >= EPOCH_FROM && at < EPOCH_TO) {
      return at;
    }
  }
  return null;
}

/** A field of the object itself: `__proto__` and what it inherits are not fields. */
function readField(value: object, name: string): unknown {
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
