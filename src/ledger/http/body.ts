/** A message as the body of a request or of an answer: its text, then its bytes, compressed where that is worth it. */
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import { LicetError } from "../../errors.ts";
import type { Message } from "../messages/message.ts";

export const MESSAGE_TYPE = "application/vnd.licet.messages";
/** The header `content-encoding` of a compressed body. */
export const ZSTD = "zstd";

/** The largest body, bytes, also after decompression: a page of the largest size that a gateway may answer, and what stands around it. */
export const MAX_BODY_BYTES = 80 * 1_024 * 1_024;

/** A shorter body gains less than it costs. */
const MIN_COMPRESSED_BYTES = 1_024;
/** The length of the text comes first. */
const LENGTH_BYTES = 4;

export interface Body {
  readonly bytes: Uint8Array;
  readonly isCompressed: boolean;
}

const compress = promisify(zstdCompress);
const decompress = promisify<Uint8Array, { maxOutputLength: number }, Buffer>(zstdDecompress);

export async function packMessage({ text, bytes }: Message): Promise<Body> {
  const textBytes = Buffer.from(text);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(textBytes.length);
  const whole = Buffer.concat([length, textBytes, ...(bytes === null ? [] : [bytes])]);
  return whole.length < MIN_COMPRESSED_BYTES
    ? { bytes: whole, isCompressed: false }
    : { bytes: await compress(whole), isCompressed: true };
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
    bytes: textEnd === whole.length ? null : new Uint8Array(whole.subarray(textEnd)),
  };
}

async function inflate(bytes: Uint8Array): Promise<Buffer> {
  try {
    return await decompress(bytes, { maxOutputLength: MAX_BODY_BYTES });
  } catch (cause) {
    throw unreadable(cause);
  }
}

export function unreadable(cause?: unknown): LicetError {
  return new LicetError("REQUEST_INVALID", "the body is not a message between a worker and its service", { cause });
}
