/** How far into a page a `<meta>` declaration is looked for, in bytes (the HTML standard's prescan). */
const PRESCAN_BYTES = 1_024;
/** Real pages often declare their encoding later than the standard allows. */
const LATE_PRESCAN_BYTES = 16_384;
const FALLBACK_ENCODING = "windows-1252";

/**
 * Decodes a page by its real encoding: a byte order mark decides; else bytes that are valid UTF-8 are UTF-8, whatever the page
 * declares (a page that is not UTF-8 is hardly ever valid UTF-8 by accident); else the declared encoding; else windows-1252.
 *
 * Some bad bytes do not make another encoding of a page in UTF-8: they become replacement characters, as in a browser. A page that
 * declares UTF-8 and has no character of it beyond ASCII declares it wrongly; one that declares nothing is UTF-8 when it has more
 * characters of it than bad bytes.
 */
export function decodeHtml(bytes: Uint8Array): string {
  const encoding = detectEncoding(bytes);
  return encoding === FALLBACK_ENCODING ? decodeWindows1252(bytes) : new TextDecoder(encoding).decode(bytes);
}

/** What windows-1252 has in the place of the control characters 0x80 to 0x9F; a space where it has nothing else. */
const WINDOWS_1252_MIDDLE = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ";

/** Node's own decoder for this encoding mistakes it for Latin-1, and makes control characters of quotation marks. */
function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("latin1")
    .replace(/[\x80-\x9f]/g, (control) => {
      const character = WINDOWS_1252_MIDDLE[control.charCodeAt(0) - 0x80];
      return character === undefined || character === " " ? control : character;
    });
}

/** The label of the encoding that `decodeHtml` uses. */
export function detectEncoding(bytes: Uint8Array): string {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  const declared = findDeclared(bytes, PRESCAN_BYTES) ?? findDeclared(bytes, LATE_PRESCAN_BYTES);
  // ISO-2022-JP is made of ASCII bytes alone, so validity as UTF-8 says nothing against it.
  if (declared === "iso-2022-jp") return declared;
  const { characters, badBytes } = countUtf8(bytes);
  if (badBytes === 0) return "utf-8";
  if (declared === "utf-8") return characters > 0 ? "utf-8" : FALLBACK_ENCODING;
  return declared ?? (characters > badBytes ? "utf-8" : FALLBACK_ENCODING);
}

function findDeclared(bytes: Uint8Array, scanBytes: number): string | undefined {
  const head = Buffer.from(bytes.subarray(0, scanBytes))
    .toString("latin1")
    .replace(/<!--[\s\S]*?-->/g, "");
  for (const [tag] of head.matchAll(/<meta\s[^>]*>/gi)) {
    const label = /charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(tag)?.[1];
    const known = label === undefined ? undefined : toKnownLabel(label);
    if (known !== undefined) return known;
  }
  return undefined;
}

function toKnownLabel(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    // A declaration that can be read as ASCII is none of UTF-16 (HTML standard, prescan).
    return encoding.startsWith("utf-16") ? "utf-8" : encoding;
  } catch {
    return undefined;
  }
}

/** Counts the characters beyond ASCII that are valid UTF-8, and the bytes that are part of none. */
function countUtf8(bytes: Uint8Array): { readonly characters: number; readonly badBytes: number } {
  let characters = 0;
  let badBytes = 0;
  for (let index = 0; index < bytes.length; ) {
    const length = lengthOfUtf8(bytes, index);
    characters += length > 1 ? 1 : 0;
    badBytes += length === 0 ? 1 : 0;
    index += Math.max(1, length);
  }
  return { characters, badBytes };
}

/** The bytes of the valid character that begins here; 0: none does (Unicode 16, table 3-7). */
function lengthOfUtf8(bytes: Uint8Array, index: number): number {
  const lead = bytes[index] ?? 0;
  if (lead < 0x80) return 1;
  const length =
    lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 && lead <= 0xf4 ? 4 : 0;
  const second = bytes[index + 1] ?? 0;
  const from = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const to = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (length === 0 || second < from || second > to) return 0;
  for (let offset = 2; offset < length; offset += 1) {
    if (((bytes[index + offset] ?? 0) & 0xc0) !== 0x80) return 0;
  }
  return length;
}
