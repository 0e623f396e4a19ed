/**
 * Reads a rate and its license, which bulk rates, single rates, content answers and
 * receipts contain.
 */
import type { Money } from "../../money/money.ts";
import type { License } from "../../rates/license.ts";
import { MAX_PRICE_MICROS, type Rate, type RateListing } from "../../rates/rate.ts";
import { parseValidUntil } from "../../rates/valid-until.ts";
import { isObject, readPrice, readText } from "../json-answer.ts";

/** How many characters of the gateway's error on a rate are stored. */
const MAX_ERROR_CHARS = 300;

/** Reads a page's list of rates. A rate that cannot be read is stored as a reason, never as an offer. */
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

/** The license, or null when there is none or it has no type. The id may be named `cuid`, `id` or `licenseId` in every answer. */
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
    const reason = typeof price === "string" ? price : "the licence has no type";
    return error === null ? reason : `${reason}; the gateway's message: ${error}`;
  }
  return { license, price, error, validUntilAt: readValidUntil(option.license) };
}

function readBelievablePrice(value: unknown): Money | string {
  const price = readPrice(value);
  return typeof price !== "string" && price.micros > MAX_PRICE_MICROS
    ? `priceMicros is more than ${MAX_PRICE_MICROS}, which is not a plausible price of a page`
    : price;
}

/** A rate with any error is not an offer, even when the error is not a text. */
function readError(value: unknown): string | null {
  if (value === null || value === undefined || value === "" || value === false) {
    return null;
  }
  if (typeof value === "object") {
    return describeErrorObject(value);
  }
  return String(value).slice(0, MAX_ERROR_CHARS);
}

/** `JSON.stringify` is recursive, and a gateway can nest deeper than the stack. */
function describeErrorObject(value: object): string {
  try {
    return JSON.stringify(value).slice(0, MAX_ERROR_CHARS);
  } catch {
    return "an error that is nested too deeply to be shown";
  }
}

/** Null when they are missing, or when one of them cannot be read, because a rule may require that one. */
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

/** Until when a license is valid, epoch ms. Null when it does not say so, or not readably. */
export function readValidUntil(license: unknown): number | null {
  return isObject(license) ? parseValidUntil(readText(license.validUntil)) : null;
}
