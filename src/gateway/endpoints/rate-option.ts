/**
 * A rate and its licence (gateway-spec § Rate option, § License), as bulk rates, single rates, content answers and
 * receipts all carry them.
 */
import type { Money } from "../../money/money.ts";
import type { License } from "../../rates/license.ts";
import { MAX_PRICE_MICROS, type Rate, type RateListing } from "../../rates/rate.ts";
import { isObject, readPrice, readText } from "../json-answer.ts";

/** Of what a gateway says against a rate, as much is kept. */
const MAX_ERROR_CHARS = 300;

/** Reads a page's list of rates: what cannot be read is kept as a reason, never as an offer. */
export function readRateListing(value: unknown): RateListing {
  if (value === null || value === undefined) {
    return { rates: [], unreadable: [] };
  }
  if (!Array.isArray(value)) {
    return { rates: [], unreadable: ["the rates are not a list"] };
  }
  const rates: Rate[] = [];
  const unreadable: string[] = [];
  for (const option of value) {
    const rate = readRate(option);
    if (typeof rate === "string") {
      unreadable.push(rate);
    } else {
      rates.push(rate);
    }
  }
  return { rates, unreadable };
}

/**
 * The licence, or null when there is none or it has no type. Its identifier may be called `cuid`, `id` or `licenseId`,
 * in every answer.
 */
export function readLicense(value: unknown): License | null {
  if (!isObject(value)) {
    return null;
  }
  const licenseType = readText(value.licenseType);
  if (licenseType === null) {
    return null;
  }
  return {
    licenseType,
    cuid: readText(value.cuid) ?? readText(value.id) ?? readText(value.licenseId),
    licensePath: readText(value.licensePath),
    permissions: readPermissions(value.permissions),
  };
}

function readRate(option: unknown): Rate | string {
  if (!isObject(option)) {
    return "the rate is not an object";
  }
  const error = readError(option.error);
  const license = readLicense(option.license);
  const price = readBelievablePrice(option.price);
  if (license === null || typeof price === "string") {
    const reason = typeof price === "string" ? price : "the license has no type";
    return error === null ? reason : `${reason}; the gateway says: ${error}`;
  }
  return { license, price, error, validUntilAt: readValidUntil(option.license) };
}

function readBelievablePrice(value: unknown): Money | string {
  const price = readPrice(value);
  return typeof price !== "string" && price.micros > MAX_PRICE_MICROS
    ? `priceMicros is more than ${MAX_PRICE_MICROS}, which no page costs`
    : price;
}

/** Any error makes the rate no offer, also one that is not a text. */
function readError(value: unknown): string | null {
  if (value === null || value === undefined || value === "" || value === false) {
    return null;
  }
  if (typeof value === "object") {
    return describeErrorObject(value);
  }
  return String(value).slice(0, MAX_ERROR_CHARS);
}

/** `JSON.stringify` calls itself for each level, and a gateway can nest deeper than the stack. */
function describeErrorObject(value: object): string {
  try {
    return JSON.stringify(value).slice(0, MAX_ERROR_CHARS);
  } catch {
    return "an error that is nested too deeply to be shown";
  }
}

/** null when they are missing, or one of them cannot be read: it may be the one that a rule asks for. */
function readPermissions(value: unknown): string[] | null {
  if (!Array.isArray(value)) {
    return null;
  }
  const names = new Set<string>();
  for (const permission of value) {
    const name = readText(isObject(permission) ? permission.name : permission);
    if (name === null) {
      return null;
    }
    names.add(name);
  }
  return [...names];
}

function readValidUntil(license: unknown): number | null {
  const text = isObject(license) ? readText(license.validUntil) : null;
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
