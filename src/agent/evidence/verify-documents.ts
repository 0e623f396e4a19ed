/** Recomputes the hash of each document in an exported file. It needs neither a ledger nor a configuration. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip, createZstdDecompress } from "node:zlib";
import { hashContent } from "../../content/content-hash.ts";
import { LicetError } from "../../errors.ts";

/** Wrong documents that are named. All are counted. */
const MAX_NAMED = 100;

/** `evidence --verify --json`. */
export interface VerifiedFile {
  readonly file: string;
  /** True when there are documents, and each has the hash that it names. */
  readonly ok: boolean;
  readonly match: number;
  readonly noMatch: number;
  /** The first documents whose text is not the text of their hash. */
  readonly mismatches: readonly {
    /** From 1. */
    readonly line: number;
    readonly url: string | null;
    readonly named: string;
    readonly computed: string;
  }[];
}

/**
 * Says of each document in a file of `licet export --format jsonl` whether its texts have the hash that it names.
 * @param path the file, as it is or compressed (`.gz`, `.zst`)
 * @throws LicetError INPUT_INVALID for a file that cannot be read, or in which a line is not a document with its texts
 */
export async function verifyDocuments(path: string): Promise<VerifiedFile> {
  let [match, noMatch, line] = [0, 0, 0];
  const mismatches: VerifiedFile["mismatches"][number][] = [];
  try {
    for await (const text of readLines(path)) {
      line += 1;
      if (text.trim() === "") {
        continue;
      }
      const { url, named, computed } = rehash(text, { path, line });
      if (named === computed) {
        match += 1;
        continue;
      }
      noMatch += 1;
      if (mismatches.length < MAX_NAMED) {
        mismatches.push({ line, url, named: `sha256:${named}`, computed: `sha256:${computed}` });
      }
    }
  } catch (error) {
    throw toInputError(error, path);
  }
  return { file: path, ok: noMatch === 0 && match > 0, match, noMatch, mismatches };
}

async function* readLines(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const unpacked = path.endsWith(".gz")
    ? file.pipe(createGunzip())
    : path.endsWith(".zst")
      ? file.pipe(createZstdDecompress())
      : file;
  file.on("error", (error) => unpacked.destroy(error));
  yield* createInterface({ input: unpacked, crlfDelay: Number.POSITIVE_INFINITY });
}

function rehash(
  text: string,
  place: { readonly path: string; readonly line: number },
): { readonly url: string | null; readonly named: string; readonly computed: string } {
  const document = parseDocument(text);
  const named = /^(?:sha256:)?([0-9a-f]{64})$/.exec(textOf(document?.contentHash) ?? textOf(document?.hash) ?? "")?.[1];
  if (document === null || named === undefined || !("markdown" in document || "html" in document)) {
    throw new LicetError(
      "INPUT_INVALID",
      `line ${place.line} of ${place.path} is not a document with its texts and its hash`,
      {
        hint: "Give a file of licet export --format jsonl. Markdown and Parquet files do not hold all that the hash covers.",
        details: { path: place.path },
      },
    );
  }
  const { header, html, markdown, footer } = document;
  const computed = hashContent({
    header: textOf(header) ?? "",
    body: textOf(html) ?? textOf(markdown) ?? "",
    footer: textOf(footer) ?? "",
  });
  return { url: textOf(document.url), named, computed };
}

function parseDocument(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

function toInputError(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof LicetError || typeof code !== "string") {
    return error;
  }
  return new LicetError("INPUT_INVALID", `${path} cannot be read (${code})`, {
    hint: "--verify names a file of licet export --format jsonl, as it is or compressed (.gz, .zst).",
    details: { path, code },
    cause: error,
  });
}
