/** How the lines of an export are compressed on their way into the file. */
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  constants,
  createGzip,
  createZstdCompress,
  gunzipSync,
  gzipSync,
  zstdCompressSync,
  zstdDecompressSync,
} from "node:zlib";
import type { NewFile } from "../../agent/files/new-file.ts";

export const COMPRESSIONS = ["gzip", "zstd"] as const;
export type Compression = (typeof COMPRESSIONS)[number];

interface Method {
  /** Of a compressed file of lines. */
  readonly extension: string;
  /** Of a compressed column of a Parquet file. */
  readonly codec: "GZIP" | "ZSTD";
  create(): Transform;
  compress(bytes: Uint8Array): Uint8Array;
  /** What the beginning of a file says. */
  readHead(bytes: Uint8Array): Buffer;
}

export const METHODS: Readonly<Record<Compression, Method>> = {
  gzip: {
    extension: ".gz",
    codec: "GZIP",
    create: () => createGzip(),
    compress: (bytes) => gzipSync(bytes),
    readHead: (bytes) => gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }),
  },
  zstd: {
    extension: ".zst",
    codec: "ZSTD",
    create: () => createZstdCompress(),
    compress: (bytes) => zstdCompressSync(bytes),
    readHead: (bytes) => zstdDecompressSync(bytes, { finishFlush: constants.ZSTD_e_continue }),
  },
};

/** Writes texts to a file, with a bounded number of them in memory. */
export async function writeTexts(
  file: NewFile,
  texts: AsyncIterable<string>,
  compression: Compression | null,
): Promise<void> {
  const write = async (chunks: AsyncIterable<string | Uint8Array>) => {
    for await (const chunk of chunks) {
      await file.write(chunk);
    }
  };
  if (compression === null) {
    await write(texts);
    return;
  }
  await pipeline(texts, METHODS[compression].create(), write);
}
