/** Writes Parquet into a file, one group of rows after the other: of the documents, only those of the group are in memory. */
import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { NewFile } from "../../agent/files/new-file.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { type Compression, METHODS } from "./compression.ts";
import { firstOf, PARQUET_FIRST, PARQUET_MAKER } from "./own-file.ts";
import { COLUMNS, SCHEMA } from "./parquet-columns.ts";

/** A group is written when it has so many characters of text: some ten times that is what the encoding of a group takes in memory. */
const GROUP_CHARS = 4_194_304;
/** Of documents with little text. */
const GROUP_ROWS = 10_000;
const PAGE_BYTES = 1_048_576;

export interface DocumentWriter {
  write(document: StoredDocument): Promise<void>;
  /** Writes the rest, and where everything is. */
  end(): Promise<void>;
}

/** @param compression of the columns. Null: none, as for lines. Every reader reads that, and Snappy in JavaScript is slower than zstd */
export function createParquetWriter(file: NewFile, compression: Compression | null): DocumentWriter {
  const bytes = new ByteWriter();
  const method = compression === null ? null : METHODS[compression];
  const writer = new ParquetWriter({
    writer: bytes,
    schema: SCHEMA,
    createdBy: PARQUET_MAKER,
    ...(method === null
      ? { codec: "UNCOMPRESSED" as const }
      : { codec: method.codec, compressors: { [method.codec]: method.compress } }),
  });
  let group: StoredDocument[] = [];
  let chars = 0;
  let rows = 0;

  const flush = async () => {
    await file.write(bytes.getBytes().slice());
    bytes.index = 0;
  };
  const writeGroup = async () => {
    const columnData = COLUMNS.map(({ name, isLong = false, value }) => ({
      name,
      data: group.map(value),
      ...(isLong ? { encoding: "PLAIN" as const, statistics: false } : {}),
    }));
    await writer.write({ columnData, rowGroupSize: group.length, pageSize: PAGE_BYTES });
    rows += group.length;
    group = [];
    chars = 0;
    await flush();
  };

  return {
    write: async (document) => {
      // Written when the file ends. An empty list would be one of no type.
      writer.kvMetadata ??= [{ key: PARQUET_FIRST, value: firstOf(document) }];
      group.push(document);
      chars += countChars(document);
      if (chars >= GROUP_CHARS || group.length >= GROUP_ROWS) {
        await writeGroup();
      }
    },
    end: async () => {
      if (group.length > 0) {
        await writeGroup();
      }
      await writer.finish();
      if (rows === 0) {
        nameTypeOfEmptyList(bytes.getBytes());
      }
      await flush();
    },
  };
}

const countChars = ({ markdown, html, header, footer }: StoredDocument): number =>
  [markdown, html, header, footer].reduce((sum, text) => sum + (text?.length ?? 0), 0);

/** In the footer: no rows (field 3, 0), and a list of no groups (field 4) of no type, before the maker's name (field 6). */
const EMPTY_LIST_OF_NOTHING = Buffer.from([0x16, 0x00, 0x19, 0x00, 0x28]);
const EMPTY_LIST_OF_STRUCTS = 0x0c;

/** hyparquet-writer takes the type of a list from its first element, and strict readers refuse an empty list of groups that has none. */
function nameTypeOfEmptyList(bytes: Uint8Array): void {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(EMPTY_LIST_OF_NOTHING);
  if (at !== -1) {
    bytes[at + 3] = EMPTY_LIST_OF_STRUCTS;
  }
}
