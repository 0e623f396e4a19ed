/**
 * Reading what a gateway sent: lenient about what is extra or missing, strict about money. By hand and not by schema,
 * because the leniency is per field and per entry (one bad rate must not cost its neighbours) and each refusal has its
 * own reason; a schema bent to that was longer, and five times slower. Each reader takes anything and throws nothing.
 */
import type { Micros } from "../money/micros.ts";
import type { Currency, Money } from "../money/money.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

/** A currency code of any gateway: ISO 4217, or longer. */
const CURRENCY = /^[A-Za-z]{3,12}$/;

/** Of a value that cannot be read, as much is repeated. */
const MAX_SAID_CHARS = 40;

/** What `parseJson` gives for bytes that are not JSON; JSON itself has no such value. */
export const NOT_JSON = Symbol("not JSON");

/** Every escape of a JSON text; a surrogate pair is one, so that what is left of `\\ud…` is half of a character. */
const ESCAPES = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|[\s\S])/g;
const HALF_ESCAPE_CHARS = 6;

/**
 * The body as JSON. Always read as UTF-8, whatever charset it claims, with U+FFFD for what is none. The same for half a
 * character that was escaped: SQLite would give back another text than it was given, and no hash of it would ever fit.
 */
export function parseJson(body: Buffer): unknown {
  try {
    const text = body.toString("utf8");
    return JSON.parse(wholeCharacters(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text));
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

/** A text that says something: null for an empty one and for everything else. */
export function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function readInteger(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

/** An amount as a JSON number: whole, safe and not negative. A numeric text is none. */
export function readMicros(value: unknown): Micros | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (((value as number) + 0) as Micros) : null;
}

/** A currency code, in upper case. */
export function readCurrency(value: unknown): Currency | null {
  return typeof value === "string" && CURRENCY.test(value) ? value.toUpperCase() : null;
}

/** A price object (gateway-spec § Price), or the reason why it is none. */
export function readPrice(value: unknown): Money | string {
  if (!isObject(value)) {
    return "the price is missing";
  }
  const micros = readMicros(value.priceMicros);
  if (micros === null) {
    return `priceMicros is ${describeValue(value.priceMicros)}, not a whole number of micros from 0 on`;
  }
  const currency = readCurrency(value.currency);
  return currency === null ? `the currency is ${describeValue(value.currency)}, not a code` : { micros, currency };
}

/** What stood there instead, in few characters: a text is told from the number that it looks like. */
function describeValue(value: unknown): string {
  switch (typeof value) {
    case "undefined":
      return "missing";
    case "string":
      return `the text ${JSON.stringify(value.slice(0, MAX_SAID_CHARS))}`;
    case "number":
    case "boolean":
      return String(value);
    default:
      return value === null ? "null" : Array.isArray(value) ? "a list" : "an object";
  }
}
