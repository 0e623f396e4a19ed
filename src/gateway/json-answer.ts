/**
 * Reads the gateway's JSON: tolerant about extra or missing fields, strict about money. There is no schema because the tolerance
 * differs by field and entry (one bad rate must not affect the others) and each refusal has its own reason. A schema for that was
 * longer and five times slower. Each reader accepts any value and never throws.
 */
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A currency code of any gateway: ISO 4217, or longer. */
const CURRENCY = /^[A-Za-z]{3,12}$/;

/** How many characters of an unreadable value a message repeats. */
const MAX_SHOWN_CHARS = 40;

/** The result of `parseJson` for bytes that are not JSON. JSON itself has no such value. */
export const NOT_JSON = Symbol("not JSON");

/** Every escape of a JSON text. A surrogate pair is one match, so every remaining `\\ud…` is half of a character. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[\s\S])/g;
const HALF_ESCAPE_CHARS = 6;
const UNICODE_ESCAPE = Buffer.from("\\u");

/**
 * Parses the body as JSON. It is always decoded as UTF-8, whatever charset it declares, with U+FFFD for invalid bytes. Half a
 * surrogate pair in an escape also becomes U+FFFD: SQLite would return a different text than it stored, and its hash would never
 * match.
 */
export function parseJson(body: Buffer): unknown {
  try {
    const text = body.toString("utf8");
    const json = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
    // Most answers have no such escape, and bytes are searched much faster than a text.
    return JSON.parse(body.includes(UNICODE_ESCAPE) ? wholeCharacters(json) : json);
  } catch {
    return NOT_JSON;
  }
}

function wholeCharacters(json: string): string {
  if (!json.includes("\\ud") && !json.includes("\\uD")) {
    return json;
  }
  return json.replace(ESCAPES, (found) => (found.length === HALF_ESCAPE_CHARS ? "\\ufffd" : found));
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A text that is not empty. Null for every other value. */
export function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function readInteger(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

/** An amount as a JSON number: whole, safe and not negative. A number in a text is not an amount. */
export function readMicros(value: unknown): Micros | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (((value as number) + 0) as Micros) : null;
}

/** A currency code, in upper case. */
export function readCurrency(value: unknown): Currency | null {
  return typeof value === "string" && CURRENCY.test(value) ? value.toUpperCase() : null;
}

/** A price object, or the reason why it is not one. */
export function readPrice(value: unknown): Money | string {
  if (!isObject(value)) {
    return "the price is missing";
  }
  const micros = readMicros(value.priceMicros);
  if (micros === null) {
    return `priceMicros is ${describeValue(value.priceMicros)}, not a whole number of micros of 0 or more`;
  }
  const currency = readCurrency(value.currency);
  return currency === null ? `the currency is ${describeValue(value.currency)}, not a code` : { micros, currency };
}

/** Describes the value that was found, shortened. A text is distinguished from a number. */
function describeValue(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "missing";
    case "string":
      return `the text ${JSON.stringify(value.slice(0, MAX_SHOWN_CHARS))}`;
    case "number":
    case "boolean":
      return String(value);
    default:
      return value === null ? "null" : Array.isArray(value) ? "a list" : "an object";
  }
}
