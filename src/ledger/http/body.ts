/** A message as the body of a request or of an answer: its text, then its bytes, compressed where that is worth it. */
import { promisify } from "node:util";
import { type ZstdOptions, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import { LicetError } from "../../errors.ts";
import type { Message } from "../messages/message.ts";

export const MESSAGE_TYPE = "application/vnd.licet.messages";
/** The header `content-encoding` of a compressed body. */
export const ZSTD = "zstd";

/** The largest body, bytes, also after decompression: a page of the largest size that a gateway may answer, and what stands around it. */
export const MAX_BODY_BYTES = 80 * 1_024 * 1_024;

/** A shorter body is a few packets either way, and gains less than it costs. */
const MIN_COMPRESSED_BYTES = 8_192;
/** A longer one is compressed and read in a thread, which for a shorter one costs more than the work. */
const MAX_BYTES_AT_ONCE = 262_144;
/** Where the descriptor of a zstd frame is, behind its magic number; and the shortest body in which its size is looked for. */
const DESCRIPTOR_AT = 4;
const MIN_FRAME_BYTES = 16;
/** Beyond what comes out, so that its end is seen. */
const ROOM_BYTES = 64;
/** The length of the text comes first. */
const LENGTH_BYTES = 4;

export interface Body {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

const compress = promisify(zstdCompress);
const decompress = promisify<Uint8Array, ZstdOptions, Buffer<ArrayBuffer>>(zstdDecompress);

/** @param compresses whether a long body is worth that. It is not where no network is between the two. @default true */
export async function packMessage({ text, bytes }: Message, compresses = true): Promise<Body> {
  const textBytes = Buffer.from(text);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(textBytes.length);
  const whole = Buffer.concat([length, textBytes, ...(bytes === null ? [] : [bytes])]);
  return compresses && whole.length >= MIN_COMPRESSED_BYTES
    ? { bytes: await deflate(whole), isCompressed: true }
    : { bytes: whole, isCompressed: false };
}

/** @throws LicetError REQUEST_INVALID for what is not a message */
export async function unpackMessage(body: Body): Promise<Message> {
  const whole = body.isCompressed ? await inflate(body.bytes) : Buffer.from(body.bytes);
  const textEnd = whole.length < LENGTH_BYTES ? Number.NaN : LENGTH_BYTES + whole.readUInt32BE();
  if (!(textEnd <= whole.length)) {
    throw unreadable();
  }
  return {
    text: whole.toString("utf8", LENGTH_BYTES, textEnd),
    bytes: textEnd === whole.length ? null : whole.subarray(textEnd),
  };
}

async function deflate(bytes: Buffer): Promise<Buffer> {
  return bytes.length > MAX_BYTES_AT_ONCE ? compress(bytes) : zstdCompressSync(bytes);
}

async function inflate(bytes: Uint8Array): Promise<Buffer<ArrayBuffer>> {
  const size = readSize(bytes);
  try {
    return size === null || size > MAX_BYTES_AT_ONCE
      ? await decompress(bytes, { maxOutputLength: MAX_BODY_BYTES })
      : zstdDecompressSync(bytes, { maxOutputLength: size + ROOM_BYTES, chunkSize: size + ROOM_BYTES });
  } catch (cause) {
    throw unreadable(cause);
  }
}

/**
 * What comes out, as the head of a zstd frame says it (RFC 8878, 3.1.1.1), bytes: then it comes out in one piece. Memory outside the heap is
 * what makes V8 look through the whole heap, so a message is to take no more of it than it needs.
 * @returns null where the head does not say it in two or four bytes: the body is tiny, huge, or not one of ours
 */
function readSize(bytes: Uint8Array): number | null {
  const head = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < MIN_FRAME_BYTES) {
    return null;
  }
  const descriptor = head.getUint8(DESCRIPTOR_AT);
  // One segment, no dictionary, and the size in two bytes or in four.
  const isLong = (descriptor & 0b1110_0011) === 0b1010_0000;
  if (!isLong && (descriptor & 0b1110_0011) !== 0b0110_0000) {
    return null;
  }
  return isLong ? head.getUint32(DESCRIPTOR_AT + 1, true) : head.getUint16(DESCRIPTOR_AT + 1, true) + 256;
}

export function unreadable(cause?: unknown): LicetError {
  return new LicetError("REQUEST_INVALID", "the body is not a message between a worker and its service", { cause });
}
