/** The endpoint *Self Report Usage* of the gateway specification. */
import type { Receipt } from "../../usage/receipt.ts";
import { isObject, readCurrency, readMicros, readText } from "../json-answer.ts";

/** Of an error, so much is kept. */
const MAX_ERROR_CHARS = 500;

/**
 * The receipts, or null when the answer is neither a list nor an object with `receipts`. An entry without its URL, its amounts or
 * its currency proves nothing and is only counted.
 */
export function readReceipts(json: unknown): { receipts: Receipt[]; unreadable: number } | null {
  const entries = isObject(json) ? json.receipts : json;
  if (!Array.isArray(entries)) {
    return null;
  }
  const receipts: Receipt[] = [];
  for (const entry of entries) {
    const receipt = readReceipt(entry);
    if (receipt !== null) {
      receipts.push(receipt);
    }
  }
  return { receipts, unreadable: entries.length - receipts.length };
}

function readReceipt(entry: unknown): Receipt | null {
  if (!isObject(entry)) {
    return null;
  }
  const url = readText(entry.url);
  const perUnitPriceMicros = readMicros(entry.perUnitPriceMicros);
  const totalUsePriceMicros = readMicros(entry.totalUsePriceMicros);
  const currency = readCurrency(entry.currency);
  if (url === null || perUnitPriceMicros === null || totalUsePriceMicros === null || currency === null) {
    return null;
  }
  const license = isObject(entry.license) ? entry.license : {};
  return {
    url,
    perUnitPriceMicros,
    totalUsePriceMicros,
    currency,
    licenseType: readText(license.licenseType) ?? readText(entry.licenseType) ?? "",
    licenseCuid:
      readText(license.cuid) ??
      readText(license.id) ??
      readText(license.licenseId) ??
      readText(entry.licenseCuid) ??
      readText(entry.licenseId),
    error: readError(entry.error),
  };
}

/** A text, or the `title` or `message` of an object; anything else that is not empty is an error without words. */
function readError(error: unknown): string | null {
  if (error === undefined || error === null || error === false || error === "") {
    return null;
  }
  const said = isObject(error)
    ? (readText(error.message) ?? readText(error.detail) ?? readText(error.title))
    : readText(error);
  return (said ?? "without words").slice(0, MAX_ERROR_CHARS);
}
