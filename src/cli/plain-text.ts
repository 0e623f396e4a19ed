/**
 * Text from elsewhere (titles, URLs, problem details, file contents) on its way to a terminal or a log: what could move the
 * cursor, change colours, retitle the window, reorder or hide letters is taken out.
 */

/**
 * Escape sequences as a whole, so that no `[31m` is left behind: OSC, DCS, SOS, PM and APC strings with what they carry, CSI,
 * and the two-character ones; each in its 7-bit and its 8-bit (C1) form.
 */
const ESCAPE_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: taking them out is the point
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g;

/** Line and column breaks that stand for a space. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/**
 * Everything else that is not seen: C0 and C1 controls, format characters (bidi overrides and isolates, the byte order mark), and
 * what Unicode lets a display leave out (zero-width ones, fillers, tags, variation selectors).
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

const LONE_SURROGATES = /\p{Surrogate}/gu;
const REPLACEMENT = "\ufffd";

/** One line of text that only shows what it is. Idempotent. */
export function plainText(text: string): string {
  // Lone surrogates first: two of them around a removed character would join into a character nobody looked at.
  return text
    .replace(LONE_SURROGATES, REPLACEMENT)
    .replace(ESCAPE_SEQUENCES, "")
    .replace(BREAKS, " ")
    .replace(INVISIBLE, "");
}

/** The same for our own messages of several lines that quote such text: the line breaks stay. */
export function plainLines(text: string): string {
  return text.split("\n").map(plainText).join("\n");
}
