/** Texts of content as zstd, where the configuration asks for it (`ledger.compress`). */
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { LicetError } from "../../../errors.ts";
import type { Connection } from "./connection.ts";

export function compressText(text: string | Uint8Array): Buffer {
  return zstdCompressSync(text);
}

/** @throws Error when the bytes are no longer those that were written */
export function decompressText(bytes: Uint8Array): string {
  return zstdDecompressSync(bytes).toString();
}

/** Makes `unzstd(column)` known to the statements of a connection, for `textOf`. NULL stays NULL. Such a statement throws LEDGER_CORRUPT for bytes that changed. */
export function addDecompression(db: Connection, path: string): void {
  db.function("unzstd", { deterministic: true, directOnly: true }, (bytes: unknown) => {
    try {
      return bytes === null ? null : decompressText(bytes as Uint8Array);
    } catch (error) {
      throw new LicetError("LEDGER_CORRUPT", `a compressed text of the ledger cannot be read: ${path}`, {
        hint: "`licet audit` names its purchase. Restore the ledger from a backup.",
        details: { path },
        cause: error,
      });
    }
  });
}

/** The texts of `content` that may be compressed: each is in its column, or in `<column>_zstd`. */
export type CompressibleText = "markdown" | "html";

/** SQL: a text of `content`, by the alias that the statement has for that table. */
export function textOf(content: string, text: CompressibleText): string {
  return `coalesce(${content}.${text}, unzstd(${content}.${text}_zstd))`;
}
