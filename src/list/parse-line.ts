/**
 * One line of a list: a JSON object, or a plain URL. A line that is blank, or that begins with `#`, says nothing. No line makes this throw:
 * the fault of one line must not stop the others.
 */

import { assertLicetError } from "../errors.ts";
import type { Money } from "../money/money.ts";
import { money } from "../money/money-input.ts";
import { isSlip } from "../suggest-key.ts";
import type { LineFault } from "./line-faults.ts";
import { type ListEntry, type ListedLicense, NO_TERMS } from "./list-entry.ts";

/** A key is a name, not a document. */
export const MAX_KEY_CHARS = 1_000;

/** A lone surrogate cannot be stored as UTF-8, and NUL ends texts elsewhere. */
const UNSTORABLE = /[\p{Surrogate}\0]/u;

/**
 * A URL, and more: no URL has one of these in it as it is. A URL parser would take what is behind for a part of the address, and another page would be
 * asked for.
 */
const MORE_THAN_URL = /^[a-z][\w+.-]*:.*[\s"<>]/is;

/** Shorter names have too many words near them for one to be a slip. */
const MAX_SHORT_NAME = 5;
/** What a list can say of a page. */
export const LIST_FIELDS = ["url", "maxPrice", "value", "key", "license"] as const;

/** A page of a list as a program or a JSON line gives it. */
export interface ListedLine {
  readonly url: string;
  /** `"0.02 USD"`, or `{ micros: 20_000, currency: "USD" }`. @default no cap */
  readonly maxPrice?: unknown;
  /** 0 or more. @default the value of the rule that allows the page */
  readonly value?: unknown;
  /** The caller's own name of the page: a text, or a whole number. @default none */
  readonly key?: unknown;
  /** Written by `licet plan --out`: only this license. @default any that the policy allows */
  readonly license?: unknown;
}

export type ParsedLine =
  | { readonly kind: "entry"; readonly entry: ListEntry }
  | { readonly kind: "blank" }
  | { readonly kind: "bad"; readonly reason: LineFault };

export function parseLine(text: string): ParsedLine {
  const line = text.trim();
  if (line === "" || line.startsWith("#")) {
    return { kind: "blank" };
  }
  if (line.startsWith("{")) {
    try {
      return parseEntry(JSON.parse(line));
    } catch (error) {
      if (error instanceof SyntaxError) {
        return bad("not_json");
      }
      throw error;
    }
  }
  // Of other JSON, no line can be meant: a URL begins with none of these.
  if (/^["[]/.test(line)) {
    return bad("not_json");
  }
  return MORE_THAN_URL.test(line) ? bad("text_behind_url") : { kind: "entry", entry: { url: line, ...NO_TERMS } };
}

/** An object of a list. Its URL is checked later, against the configured sites. */
export function parseEntry(value: unknown): ParsedLine {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return bad("not_json");
  }
  // Lists are made from all kinds of tables, so a field that means nothing here is let through. A slip of the pen is not: a cap that
  // is misspelt would not hold.
  if (Object.keys(value).some(isMisspelt)) {
    return bad("unknown_field");
  }
  const { url, maxPrice, value: worth, key, license }: Partial<Record<(typeof LIST_FIELDS)[number], unknown>> = value;
  if (typeof url !== "string" || url.trim() === "") {
    return bad("no_url");
  }
  if (MORE_THAN_URL.test(url.trim())) {
    return bad("text_behind_url");
  }
  const cap = parseCap(maxPrice);
  if (cap === undefined) {
    return bad("bad_max_price");
  }
  if (isGiven(worth) && !(typeof worth === "number" && Number.isFinite(worth) && worth >= 0)) {
    return bad("bad_value");
  }
  const name = parseKey(key);
  if (name === undefined) {
    return bad("bad_key");
  }
  const pinned = parseLicense(license);
  if (pinned === undefined) {
    return bad("bad_license");
  }
  return {
    kind: "entry",
    entry: {
      url: url.trim(),
      maxPrice: cap,
      license: pinned,
      value: isGiven(worth) ? (worth as number) : null,
      key: name,
    },
  };
}

function bad(reason: LineFault): ParsedLine {
  return { kind: "bad", reason };
}

/** A field that is null says as much as one that is not there: tables have columns that are empty. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Another spelling of a field, such as `max_price`, or a slip in a long one. Of short names, too many words are near. */
export function isMisspelt(field: string): boolean {
  const plain = field.toLowerCase().replaceAll(/[\s_-]/g, "");
  return LIST_FIELDS.some(
    (known) =>
      field !== known && (plain === known.toLowerCase() || (known.length > MAX_SHORT_NAME && isSlip(plain, known))),
  );
}

/** undefined: it is none. */
function parseCap(value: unknown): Money | null | undefined {
  if (!isGiven(value)) {
    return null;
  }
  try {
    return money(value as Parameters<typeof money>[0]);
  } catch (error) {
    assertLicetError(error, "MONEY_INVALID");
    return undefined;
  }
}

function parseKey(value: unknown): string | null | undefined {
  if (!isGiven(value)) {
    return null;
  }
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === "string" && text.length <= MAX_KEY_CHARS && !UNSTORABLE.test(text) ? text : undefined;
}

function parseLicense(value: unknown): ListedLicense | null | undefined {
  if (!isGiven(value)) {
    return null;
  }
  const { licenseType, cuid = null } = (typeof value === "object" ? value : {}) as Partial<
    Record<keyof ListedLicense, unknown>
  >;
  return typeof licenseType === "string" && (cuid === null || typeof cuid === "string")
    ? { licenseType, cuid }
    : undefined;
}
