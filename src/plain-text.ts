/**
 * Cleans text from elsewhere (titles, URLs, problem details, file contents) for a terminal, a log or a language model: removes
 * everything that could move the cursor, change colours, change the window title, or reorder or hide letters.
 */

/**
 * Whole escape sequences, so that no `[31m` is left: OSC, DCS, SOS, PM and APC strings with their content, CSI, and two-character
 * sequences, each in its 7-bit and 8-bit (C1) form.
 */
const ESCAPE_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: taking them out is the point
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;

/** Line and column breaks, which become a space. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/**
 * All other invisible characters: C0 and C1 controls, format characters (bidi overrides and isolates, the byte order mark), and
 * characters that Unicode lets a display ignore (zero-width characters, fillers, tags, variation selectors).
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

const LONE_SURROGATES = /\p{Surrogate}/gu;
const REPLACEMENT = "\ufffd";

/** Returns one line of visible text. Idempotent. */
export function plainText(text: string): string {
  // Lone surrogates are removed first: two of them around a removed character would join into a new, unchecked character.
  return text
    .replace(LONE_SURROGATES, REPLACEMENT)
    .replace(ESCAPE_SEQUENCES, "")
    .replace(BREAKS, " ")
    .replace(INVISIBLE, "");
}

/** Cleans a text of several lines: the text of a page, or a message that contains such text. The line breaks stay. */
export function plainLines(text: string): string {
  return text.split("\n").map(plainText).join("\n");
}
