/**
 * The canonical form of percent-escapes (RFC 3986 § 6.2.2.1 and 2): hex digits in upper case, and no escape for a character that
 * does not need one. Reserved characters stay as they are, escaped or not, because the two spellings may be two pages.
 */

/** An escape, or a percent sign without an escape. */
const PERCENT = /%(?:([0-9a-f]{2}))?/gi;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
const HEX_DIGIT = /^[0-9A-Fa-f]$/;
/** An incomplete escape: one or two more hex digits would complete it. */
const BEGUN_ESCAPE = /%[0-9A-Fa-f]?$/;

/** Accepts any string. Applying it twice gives the same result as once. */
export function canonicalEscapes(url: string): string {
  if (!url.includes("%")) {
    return url;
  }
  let canonical = "";
  let readTo = 0;
  for (const match of url.matchAll(PERCENT)) {
    canonical += url.slice(readTo, match.index);
    readTo = match.index + match[0].length;
    const [percent, hex] = match;
    const character = hex === undefined ? null : String.fromCharCode(Number.parseInt(hex, 16));
    const isPlain = character !== null && UNRESERVED.test(character) && !completesEscape(canonical, character);
    canonical += isPlain ? character : percent.toUpperCase();
  }
  return canonical + url.slice(readTo);
}

/** `%%34%31` must not become `%41`, because the result would contain an escape that the text does not have. */
function completesEscape(before: string, character: string): boolean {
  return HEX_DIGIT.test(character) && BEGUN_ESCAPE.test(before);
}
