/**
 * How deeply a text of YAML may be nested, before anything is made of it. Its reader calls itself for each level, and at the
 * end of the stack it does not always fail in a way that can be caught: a file of brackets took the process down.
 */

/** Lists and sections in brackets, within each other. A configuration has some eight. */
const MAX_BRACKETS = 100;
/** `- - - x`: lists of lists in one line. */
const MAX_INDICATORS = 100;
/** Each level of the block style begins further right. */
const MAX_INDENT = 200;

/** A line that begins at the left edge with a key or a dash is in no bracket, whatever stood in texts and comments above it. */
const TOP_LEVEL = /^[^\s[\]{}"',]/;
const INDICATORS = /^(?:[ \t]*[-?][ \t])+/;

export function isNestedTooDeeply(text: string): boolean {
  let brackets = 0;
  for (const line of text.split("\n")) {
    if (TOP_LEVEL.test(line)) {
      brackets = 0;
    }
    const [indicators = ""] = INDICATORS.exec(line) ?? [];
    if (line.search(/[^ ]/) > MAX_INDENT || indicators.replace(/[ \t]/g, "").length > MAX_INDICATORS) {
      return true;
    }
    for (const character of line) {
      if (character === "[" || character === "{") {
        brackets++;
      } else if (character === "]" || character === "}") {
        brackets = Math.max(0, brackets - 1);
      }
      if (brackets > MAX_BRACKETS) {
        return true;
      }
    }
  }
  return false;
}
