/**
 * Values as the JSON that is printed or served: an instant is ISO 8601 text in UTC with ms. Inside, and in the library, it is a number of
 * milliseconds since 1970. What is printed, served or exported as JSON asks here.
 */

/** The name of a field tells an instant from a count. The fields of the types that are printed follow it (generate/type-schemas.ts). */
export const INSTANT_NAME = /(?:^at|At|^until|Until|^since|^next)$/;
/** What a date can hold, ms. */
const LAST_INSTANT = 8.64e15;

export function toPrintedJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, printInstant, indent);
}

/** For `JSON.stringify`. */
export function printInstant(name: string, value: unknown): unknown {
  return INSTANT_NAME.test(name) ? (Array.isArray(value) ? value.map(toText) : toText(value)) : value;
}

function toText(value: unknown): unknown {
  return typeof value === "number" && Math.abs(value) <= LAST_INSTANT ? new Date(value).toISOString() : value;
}
