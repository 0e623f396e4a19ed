/** How far into a page a `<meta>` declaration is looked for, in bytes (the HTML standard's prescan). */
const PRESCAN_BYTES = 1_024;
/** Real pages often declare their encoding later than the standard allows. */
const LATE_PRESCAN_BYTES = 16_384;
const FALLBACK_ENCODING = "windows-1252";

/**
 * Decodes a page by its real encoding: a byte order mark decides; else bytes that are valid UTF-8 are UTF-8, whatever the page
 * declares (a page that is not UTF-8 is hardly ever valid UTF-8 by accident); else the declared encoding; else windows-1252.
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
  if (isUtf8(bytes)) return "utf-8";
  return declared === undefined || declared === "utf-8" ? FALLBACK_ENCODING : declared;
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

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
