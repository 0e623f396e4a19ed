import { isUtf8 } from "node:buffer";
// Node's own decoder takes windows-1252 for Latin-1 before Node 24.
import { TextDecoder } from "@exodus/bytes/encoding.js";
import sniffEncoding from "html-encoding-sniffer";

/** Real pages often declare their encoding later than the standard allows, which is 1,024 bytes. */
const MAX_PRESCAN_BYTES = 16_384;
/** Encodings whose bytes may well be valid UTF-8. */
const NOT_TOLD_APART: ReadonlySet<string> = new Set(["UTF-16LE", "UTF-16BE", "ISO-2022-JP"]);

/**
 * Decodes a page: by its byte order mark; else as UTF-8 where its bytes are valid UTF-8, whatever it declares (a page that is not UTF-8 is
 * hardly ever valid UTF-8 by accident); else as a browser would, by its declaration or as windows-1252.
 */
export function decodeHtml(bytes: Uint8Array): string {
  return new TextDecoder(detectEncoding(bytes)).decode(bytes);
}

/** The encoding that `decodeHtml` uses, as the standard names it. */
export function detectEncoding(bytes: Uint8Array): string {
  const sniffed = sniffEncoding(bytes, { maxPrescanBytes: MAX_PRESCAN_BYTES });
  return !NOT_TOLD_APART.has(sniffed) && isUtf8(bytes) ? "UTF-8" : sniffed;
}
