/** Compressed answers. licet does not ask for compression, but accepts it and never decompresses more than the limit. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";

const DECODERS = {
  gzip: promisify(gunzip),
  "x-gzip": promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

export type ContentCoding = keyof typeof DECODERS;

export function isContentCoding(value: string): value is ContentCoding {
  return Object.hasOwn(DECODERS, value);
}

/** Decompresses at most `maxBytes`. */
export async function decompress(
  coding: ContentCoding,
  body: Buffer,
  maxBytes: number,
): Promise<Buffer | "too_large" | "unreadable"> {
  try {
    return await DECODERS[coding](body, { maxOutputLength: maxBytes });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "unreadable";
  }
}
