import { isUtf8 } from "node:buffer";
// Node's own decoder takes windows-1252 for Latin-1 before Node 24.
import { TextDecoder } from "@exodus/bytes/encoding.js";
import sniffEncoding from "html-encoding-sniffer";

/** Real pages often declare their encoding later than the standard allows, which is 1,024 bytes. */
const MAX_PRESCAN_BYTES = 16_384;
/** Encodings whose bytes are often valid UTF-8 too. */
const AMBIGUOUS_ENCODINGS: ReadonlySet<string> = new Set(["UTF-16LE", "UTF-16BE", "ISO-2022-JP"]);

/**
 * Decodes a page. A byte order mark decides first. Without one, bytes that are valid UTF-8 are read as UTF-8, whatever the page declares:
 * a page in another encoding is almost never valid UTF-8. All other pages are read as a browser reads them: as declared, or as windows-1252.
 */
export function decodeHtml(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes)).decode(bytes);
}

/** The encoding that `decodeHtml` uses, as the standard names it. */
export function detectEncoding(bytes: Uint8Array): string {
  const sniffed = sniffEncoding(bytes, { maxPrescanBytes: MAX_PRESCAN_BYTES });
  return !AMBIGUOUS_ENCODINGS.has(sniffed) && isUtf8(bytes) ? "UTF-8" : sniffed;
}
