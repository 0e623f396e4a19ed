/**
 * What JSON.stringify leaves as it is and a terminal may act on: DEL and C1, format and invisible characters, the two line
 * separators. Not the line breaks between the lines of a JSON text: within strings they are escaped already.
 */
const RAW_IN_JSON = /(?!\n)[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** JSON that is safe to look at on a terminal: the same value, with such characters escaped. */
export function toSafeJson(value: unknown, indent = 2): string {
  return escapeRaw(JSON.stringify(value, null, indent));
}

/** Escapes within a JSON text, where these characters can only stand inside strings. */
export function escapeRaw(json: string): string {
  return json.replace(RAW_IN_JSON, (character) =>
    // Beyond the first plane a character is two units, and JSON escapes units.
    Array.from({ length: character.length }, (_, unit) => escapeUnit(character.charCodeAt(unit))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
