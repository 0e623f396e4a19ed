import { toPrintedJson } from "../../printed-json.ts";

/**
 * Characters that JSON.stringify does not escape and that a terminal may interpret: DEL and C1, format and invisible characters,
 * the two line separators. Line breaks between the lines of a JSON text are not included; inside strings they are already
 * escaped.
 */
const RAW_IN_JSON = /(?!\n)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** JSON that is safe to print on a terminal: the same value, with such characters escaped. */
export function toSafeJson(value: unknown, indent = 2): string {
  return escapeRaw(toPrintedJson(value, indent));
}

/** Escapes within a JSON text, where these characters can only be inside strings. */
export function escapeRaw(json: string): string {
  return json.replace(RAW_IN_JSON, (character) =>
    // A character beyond the first plane has two units, and JSON escapes units.
    Array.from({ length: character.length }, (_, unit) => escapeUnit(character.charCodeAt(unit))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
