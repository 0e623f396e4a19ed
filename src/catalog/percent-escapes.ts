/** Percent-escapes of a URL's path, decoded as UTF-8. Every function accepts any string and never throws. */

const ESCAPED_RUN = /(?:%[0-9a-f]{2})+/gi;
const ESCAPE_CHARS = 3;
/** The longest UTF-8 sequence, in bytes. */
const MAX_SEQUENCE_BYTES = 4;

/**
 * Decodes every escape once. Bytes that are not UTF-8 stay escaped, in upper case, each byte separately, so that one invalid byte
 * does not keep the text beside it from being decoded.
 * @param spell what to write for a decoded text and its escapes; by default the text
 */
export function decodeEscapes(
  text: string,
  spell: (decoded: string, escapes: string) => string = (decoded) => decoded,
): string {
  return text.includes("%") ? text.replace(ESCAPED_RUN, (run) => decodeRun(run, spell)) : text;
}

function decodeRun(run: string, spell: (decoded: string, escapes: string) => string): string {
  let decoded = "";
  for (let at = 0; at < run.length; ) {
    const length = sequenceLength(run, at);
    const escapes = run.slice(at, at + Math.max(1, length) * ESCAPE_CHARS).toUpperCase();
    decoded += length === 0 ? escapes : spell(decodeURIComponent(escapes), escapes);
    at += escapes.length;
  }
  return decoded;
}

/** The length of the UTF-8 sequence that begins here, in bytes. 0 when none does. */
function sequenceLength(run: string, at: number): number {
  for (let length = 1; length <= MAX_SEQUENCE_BYTES; length++) {
    const escapes = run.slice(at, at + length * ESCAPE_CHARS);
    if (escapes.length === length * ESCAPE_CHARS && isDecodable(escapes)) {
      return length;
    }
  }
  return 0;
}

function isDecodable(escapes: string): boolean {
  try {
    decodeURIComponent(escapes);
    return true;
  } catch {
    return false;
  }
}
