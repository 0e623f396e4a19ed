/** Parquet files of an export, read by readers that share no code with the writer: parquet-wasm (Rust) and, for each value, hyparquet. */
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetMetadataAsync, parquetReadObjects, parquetSchema } from "hyparquet";
import { readParquet, writeParquet } from "parquet-wasm/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { COMPRESSIONS, type Compression } from "../../../src/cli/export/compression.ts";
import { openExportDirectory } from "../../../src/cli/export/export-directory.ts";
import { exportFile } from "../../../src/cli/export/export-file.ts";
import type { StoredDocument } from "../../../src/ledger/ledger-reports.ts";
import { toMicros } from "../../../src/money/micros.ts";
import { toDocument } from "../../doubles/stored-document.ts";

const NEVER = new AbortController().signal;
const COMPRESSORS = {
  GZIP: (bytes: Uint8Array) => gunzipSync(bytes),
  ZSTD: (bytes: Uint8Array) => zstdDecompressSync(bytes),
};
const FULL = toDocument("https://news.example/ä?q=1", {
  title: "Übermut 🚢 \u0000 \u{10FFFF}",
  header: "head",
  footer: "foot",
  html: "<p>é</p>",
  lastMod: "2026-01-02",
  published: "2026-01-02T03:04:05.678Z",
  modified: "last week",
  rights: { endsAt: Date.UTC(2027, 0, 1), why: "validUntil", hasEnded: false, action: "keep" },
  priceMicros: toMicros(Number.MAX_SAFE_INTEGER),
  license: { licenseType: "CUSTOM_LICENSE", cuid: "c1", licensePath: "https://l.example/c1", permissions: ["A", "B"] },
});
const EMPTY = toDocument("https://news.example/b", {
  title: null,
  author: null,
  markdown: null,
  priceMicros: null,
  currency: null,
  lastMod: null,
  license: null,
  rule: null,
  intent: "indexing",
});

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "licet-parquet-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function exportAll(documents: Iterable<StoredDocument>, compression: Compression | null = null): Promise<Buffer> {
  async function* each() {
    yield* documents;
  }
  const target = {
    name: "documents.parquet",
    format: "parquet",
    compression,
    writer: null,
    firstOfRange: null,
  } as const;
  await exportFile({ directory: await openExportDirectory(directory), ...target }, each(), NEVER);
  expect(await readdir(directory)).toEqual(["documents.parquet"]);
  return readFile(join(directory, "documents.parquet"));
}

const toArrayBuffer = ({ buffer, byteOffset, byteLength }: Buffer) =>
  buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
const read = (bytes: Buffer) => parquetReadObjects({ file: toArrayBuffer(bytes), compressors: COMPRESSORS });
/** The same table, decoded and encoded by Rust: what it misreads comes back as something else. */
const throughRust = (bytes: Buffer) => Buffer.from(writeParquet(readParquet(new Uint8Array(bytes))));

test("every column comes back: texts of any letters, amounts, dates in UTC, lists, and nulls", async () => {
  const bytes = await exportAll([FULL, EMPTY]);
  const [full, empty] = await read(bytes);
  expect(full).toEqual({
    url: FULL.url,
    host: "news.example",
    title: FULL.title,
    author: "A. Writer",
    description: null,
    image_url: null,
    markdown: "# Text",
    html: "<p>é</p>",
    header: "head",
    footer: "foot",
    hash: `sha256:${"ab".repeat(32)}`,
    license_type: "CUSTOM_LICENSE",
    license_id: "c1",
    license_url: "https://l.example/c1",
    permissions: ["A", "B"],
    price_micros: BigInt(Number.MAX_SAFE_INTEGER),
    currency: "USD",
    acquired_at: new Date(1_700_000_000_000),
    rights_end_at: new Date("2027-01-01T00:00:00Z"),
    last_mod: new Date("2026-01-02T00:00:00Z"),
    published: new Date("2026-01-02T03:04:05.678Z"),
    modified: null,
    intent: "content",
    rule: "allow everything",
    run_id: "run_1",
    key: null,
    purchase_id: 7n,
    purchase_url: FULL.url,
    conversion_failure: null,
  });
  expect(Object.values(empty ?? {}).filter((value) => value !== null && value !== undefined)).toEqual([
    EMPTY.url,
    "news.example",
    `sha256:${"ab".repeat(32)}`,
    new Date(1_700_000_000_000),
    "indexing",
    "run_1",
    7n,
    EMPTY.url,
  ]);
  expect(await read(throughRust(bytes))).toEqual([full, empty]);
});

test("says what its columns are: a list of texts, whole numbers, instants of milliseconds in UTC", async () => {
  const schema = parquetSchema(await parquetMetadataAsync(toArrayBuffer(await exportAll([FULL]))));
  const types = new Map(schema.children.map(({ element }) => [element.name, element]));
  expect(types.get("price_micros")).toMatchObject({ type: "INT64", repetition_type: "OPTIONAL" });
  expect(types.get("permissions")).toMatchObject({ converted_type: "LIST" });
  expect(types.get("url")).toMatchObject({ logical_type: { type: "STRING" }, repetition_type: "REQUIRED" });
  expect(types.get("acquired_at")).toMatchObject({
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  });
});

test("an export of nothing is a file with the same columns", async () => {
  const bytes = await exportAll([]);
  expect(await read(bytes)).toEqual([]);
  expect(await read(throughRust(bytes))).toEqual([]);
  expect((await parquetMetadataAsync(toArrayBuffer(bytes))).num_rows).toBe(0n);
});

test.each([null, ...COMPRESSIONS])(
  "large texts are in several groups of rows, in order (compression: %s)",
  async (compression) => {
    const large = "länge ".repeat(400_000);
    const documents = Array.from({ length: 5 }, (_, index) =>
      toDocument(`https://news.example/${index}`, { purchaseId: index, markdown: `${large}${index}` }),
    );
    const bytes = await exportAll(documents, compression);
    const rows = await read(bytes);
    expect(rows.map(({ url, purchase_id, markdown }) => [url, purchase_id, markdown])).toEqual(
      documents.map(({ url, purchaseId, markdown }) => [url, BigInt(purchaseId), markdown]),
    );
    expect((await parquetMetadataAsync(toArrayBuffer(bytes))).row_groups.length).toBeGreaterThan(1);
    expect(await read(throughRust(bytes))).toEqual(rows);
  },
);

test("replaces its own file, which only the owner can read, and no other one", async () => {
  await exportAll([FULL]);
  expect((await stat(join(directory, "documents.parquet"))).mode & 0o777).toBe(0o600);
  await exportAll([EMPTY]);
  await writeFile(join(directory, "documents.parquet"), "PAR1 of somebody else PAR1");
  await expect(exportAll([FULL])).rejects.toMatchObject({ code: "EXPORT_UNWRITABLE" });
});
