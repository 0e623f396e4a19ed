/** `1,000.50 USD`, `1 000 USD`, `1'000 USD`: separators between groups of three digits. */
const GROUPED_PATTERN = /^(\d{1,3}(?:[,'_ ]\d{3})+)(\.\d+)? *([A-Za-z]{3,8})$/;
/** `1.000,50 EUR` */
const GROUPED_BY_POINTS_PATTERN = /^(\d{1,3}(?:\.\d{3})+),(\d+) *([A-Za-z]{3,8})$/;
const DECIMAL_COMMA_PATTERN = /^(\d+),(\d{1,2}) *([A-Za-z]{3,8})$/;
const PLAIN_PATTERN = /^(\d+(?:\.\d+)?) *([A-Za-z]{3,8})?$/;
const CURRENCY_FIRST_PATTERN = /^([A-Za-z]{3,8}) *(\d+(?:\.\d+)?)$/;
/** Micros can count this exactly. */
const COUNTABLE_PATTERN = /^\d{1,9}(?:\.\d{1,6})?$/;
const SIGNS: Readonly<Record<string, string>> = { $: "USD", "€": "EUR", "£": "GBP", "¥": "JPY" };
/** For an amount without a currency. */
const USUAL_CURRENCY = "USD";

/**
 * What the writer of a wrong amount probably meant, in the form that `parseMoney` reads.
 * @returns null when the text is like no amount
 */
export function suggestMoney(text: string): string | null {
  const trimmed = text
    .trim()
    .replaceAll(/[$€£¥]/g, (sign) => ` ${SIGNS[sign]} `)
    .trim()
    .replaceAll(/ +/g, " ");
  const grouped = GROUPED_PATTERN.exec(trimmed);
  if (grouped !== null) {
    return write((grouped[1] ?? "").replaceAll(/\D/g, "") + (grouped[2] ?? ""), grouped[3]);
  }
  const byPoints = GROUPED_BY_POINTS_PATTERN.exec(trimmed);
  if (byPoints !== null) {
    return write(`${(byPoints[1] ?? "").replaceAll(".", "")}.${byPoints[2]}`, byPoints[3]);
  }
  const comma = DECIMAL_COMMA_PATTERN.exec(trimmed);
  if (comma !== null) {
    return write(`${comma[1]}.${comma[2]}`, comma[3]);
  }
  const plain = PLAIN_PATTERN.exec(trimmed);
  if (plain !== null) {
    return write(plain[1], plain[2]);
  }
  const first = CURRENCY_FIRST_PATTERN.exec(trimmed);
  return first === null ? null : write(first[2], first[1]);
}

/** @returns null for an amount whose size is wrong, and not its form */
function write(amount = "", currency = USUAL_CURRENCY): string | null {
  return COUNTABLE_PATTERN.test(amount) ? `${amount} ${currency.toUpperCase()}` : null;
}
