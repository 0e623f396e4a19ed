import { LicetError } from "../errors.ts";
import { toMicros } from "./micros.ts";
import type { Money } from "./money.ts";
import { suggestMoney } from "./suggest-money.ts";

/** A micro is the sixth decimal. */
const MAX_DECIMALS = 6;
const MONEY_PATTERN = /^(\d+)(?:\.(\d+))? +([A-Z][A-Z0-9]{2,7})$/;
const EXAMPLE = "12.50 USD";
/** How many characters of a wrong text the error repeats. */
const MAX_QUOTED_CHARS = 60;

/**
 * Parses a decimal amount and a currency code, such as `12.50 USD`. The result is exact: the digits become micros as text, never
 * through a float. Negative amounts are refused, because no configured amount can be negative.
 * @throws LicetError MONEY_INVALID
 */
export function parseMoney(text: string): Money {
  // A value from JSON or JavaScript may be anything.
  if (typeof text !== "string") {
    throw invalid(String(text), "it is not a text");
  }
  const match = MONEY_PATTERN.exec(text.trim());
  if (match === null) {
    throw invalid(text, hintFor(text.trim()));
  }
  const [, units = "", decimals = "", currency = ""] = match;
  if (decimals.length > MAX_DECIMALS) {
    throw invalid(text, `at most ${MAX_DECIMALS} decimals can be counted`);
  }
  const micros = BigInt(units + decimals.padEnd(MAX_DECIMALS, "0"));
  if (micros > BigInt(Number.MAX_SAFE_INTEGER)) {
    throw invalid(text, "the amount is too large to be counted exactly");
  }
  return { micros: toMicros(Number(micros)), currency };
}

function hintFor(text: string): string {
  if (/^[A-Za-z]{3}\s*\d/.test(text)) {
    return "write the amount first, then the currency";
  }
  if (text.startsWith("-")) {
    return "an amount cannot be negative";
  }
  if (/^\d[\d.,'_ ]*[,'_ ]\d/.test(text)) {
    return "write the amount without thousands separators, and its decimals after a point";
  }
  if (/^[\d.]+$/.test(text)) {
    return "the currency is missing";
  }
  if (/^\d+(\.\d+)?\s*[$€£¥]|^[$€£¥]/.test(text)) {
    return "write the currency as a code such as USD";
  }
  if (/^\d+(\.\d+)? *[A-Za-z]{3}$/.test(text)) {
    return "write the currency in capitals, after a space";
  }
  return "write a decimal amount, a space and a currency code";
}

function invalid(text: string, reason: string): LicetError {
  const quoted = JSON.stringify(text.length > MAX_QUOTED_CHARS ? `${text.slice(0, MAX_QUOTED_CHARS)}…` : text);
  const suggestion = suggestMoney(text);
  return new LicetError("MONEY_INVALID", `${quoted} is not an amount of money: ${reason}`, {
    hint: `Write it like "${EXAMPLE}"${suggestion === null ? "" : `, here: "${suggestion}"`}.`,
    details: { reason },
  });
}
