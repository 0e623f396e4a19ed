/** Where an export goes: stdout, a directory, or a file of which the user chose the name. */
import { stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { DocumentRange } from "../../agent/documents/document-filter.ts";
import { LicetError } from "../../errors.ts";
import { type Compression, METHODS } from "./compression.ts";

export const FORMATS = ["jsonl", "markdown", "parquet"] as const;
export type ExportFormat = (typeof FORMATS)[number];

/** The value of --out for stdout. */
const STDOUT = "-";
/** A name of a file is known by its ending; everything else is a directory. */
const FILE_ENDINGS: Readonly<Record<Exclude<ExportFormat, "markdown">, RegExp>> = {
  jsonl: /\.(?:jsonl|ndjson)(\.gz|\.zst)?$/,
  parquet: /\.parquet$/,
};
/** The numbers of a range have so many digits, so that files are listed in their order. */
const DIGITS = 12;

export type ExportPlace =
  | { readonly kind: "stdout" }
  /** `name`: null where each page or each range has a file of its own. */
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "file"; readonly path: string; readonly name: string };

export interface ExportSettings {
  readonly format: ExportFormat;
  readonly out: string;
  readonly compress?: Compression;
  readonly site: string | null;
  readonly run: string | null;
}

/** @throws LicetError USAGE_INVALID for what does not fit together */
export async function findPlace(settings: ExportSettings, cwd: string, json: boolean): Promise<ExportPlace> {
  const { format, out, compress } = settings;
  if (format === "markdown" && compress !== undefined) {
    throw wrong("Markdown files are not compressed", "leave out --compress, or use --format jsonl or parquet");
  }
  if (out === STDOUT) {
    checkStdout(settings, json);
    return { kind: "stdout" };
  }
  const path = resolve(cwd, out);
  const found = format === "markdown" ? null : FILE_ENDINGS[format].exec(path);
  const isDirectory = await stat(path).then(
    (existing) => existing.isDirectory(),
    () => false,
  );
  if (found === null || isDirectory) {
    return { kind: "directory", path };
  }
  return { kind: "file", path: dirname(path), name: withEnding(basename(path), found[1], settings) };
}

/** The name with the ending of its compression, which the name or the option may say. */
function withEnding(name: string, ending: string | undefined, { format, compress }: ExportSettings): string {
  if (format === "parquet" || compress === undefined || METHODS[compress].extension === ending) {
    return name;
  }
  if (ending !== undefined) {
    throw wrong(`${name} is not a name for ${compress}`, `name a file that ends in ${METHODS[compress].extension}`);
  }
  return `${name}${METHODS[compress].extension}`;
}

/** How the lines of a file are compressed: as the option says, or its name. */
export function compressionOf(place: ExportPlace, { format, compress }: ExportSettings): Compression | null {
  if (compress !== undefined || place.kind !== "file" || format !== "jsonl") {
    return compress ?? null;
  }
  return place.name.endsWith(".gz") ? "gzip" : place.name.endsWith(".zst") ? "zstd" : null;
}

/**
 * The name of the one file in a directory. Of a cursor, each range has a file of its own, which says what is in it: a repeated attempt replaces
 * the same file, and no other one is replaced.
 */
export function fileName(settings: ExportSettings, range: Pick<DocumentRange, "after" | "through"> | null): string {
  const { format, compress, site, run } = settings;
  const parts =
    range === null
      ? []
      : [site, run, toDigits(range.after + 1), toDigits(range.through)].filter((part) => part !== null);
  const ending = format === "jsonl" && compress !== undefined ? METHODS[compress].extension : "";
  return `${["documents", ...parts].join("-")}.${format}${ending}`;
}

const toDigits = (seq: number): string => String(seq).padStart(DIGITS, "0");

function checkStdout({ format, compress }: ExportSettings, json: boolean): void {
  if (format !== "jsonl") {
    const why =
      format === "markdown"
        ? "Markdown cannot go to stdout: each page is a file of its own"
        : "Parquet cannot go to stdout";
    throw wrong(why, "name a directory with --out, or use --format jsonl --out -");
  }
  if (compress !== undefined) {
    throw wrong("stdout is not compressed", "leave out --compress, and pipe the lines through gzip or zstd");
  }
  if (json) {
    throw wrong("--json and --out - both write to stdout", "leave out --json");
  }
}

const wrong = (what: string, hint: string): LicetError => new LicetError("USAGE_INVALID", what, { hint });
