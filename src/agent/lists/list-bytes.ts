/** The lines of a list in a file or a stream: JSON lines, plain URLs or CSV, also compressed with gzip. */
import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { LicetError, messageOf } from "../../errors.ts";
import { isCsvName, namesColumns } from "../../list/list-form.ts";
import { type ParsedLine, parseLine } from "../../list/parse-line.ts";
import type { ListLine } from "../../pipeline/lists/list-reader.ts";
import type { CsvLines } from "./csv-lines.ts";
import { faultOf, readTextLines, type TextLine } from "./text-lines.ts";

const GZIP = [0x1f, 0x8b] as const;
/** No text has a NUL near its beginning. UTF-16 has one in every other byte. */
const LOOKED_AT_BYTES = 8_192;

/** @throws LicetError LIST_UNREADABLE for a file that cannot be read or is not text */
export function readListFile(path: string): AsyncGenerator<ListLine> {
  return readListBytes(createReadStream(path), path);
}

/** @param path the file; null for a stream */
export async function* readListBytes(bytes: AsyncIterable<Uint8Array>, path: string | null): AsyncGenerator<ListLine> {
  let line = 0;
  /** Of a list in CSV, from its first line on. */
  let csv: CsvLines | null = null;
  let isFormKnown = false;
  try {
    for await (const read of readTextLines(asText(bytes, path))) {
      line += 1;
      if (csv !== null) {
        yield* csv.take(read);
        continue;
      }
      const parsed = parseText(read);
      if (isFormKnown || parsed.kind === "blank") {
        yield { text: read.text, parsed };
        continue;
      }
      isFormKnown = true;
      if (namesColumns(read.text) || (path !== null && isCsvName(path))) {
        const { createCsvLines } = await import("./csv-lines.ts");
        csv = createCsvLines({ text: read.text, line, path });
        yield { text: read.text, parsed: { kind: "blank" } };
      } else {
        yield { text: read.text, parsed };
      }
    }
    csv?.end();
  } catch (error) {
    throw toListError(error, { path, line });
  }
}

function parseText({ text, problem }: TextLine): ParsedLine {
  return problem === null ? parseLine(text) : { kind: "bad", reason: faultOf(problem) };
}

async function* asText(bytes: AsyncIterable<Uint8Array>, path: string | null): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  try {
    const first = await chunks.next();
    if (first.done === true) {
      return;
    }
    const all = withFirst(first.value, chunks);
    if (first.value[0] === GZIP[0] && first.value[1] === GZIP[1]) {
      // The failure of one ends the other: a source that fails without a listener would end the process.
      yield* pipeline(Readable.from(all), createGunzip(), () => {});
      return;
    }
    if (first.value.subarray(0, LOOKED_AT_BYTES).includes(0)) {
      throw new LicetError("LIST_UNREADABLE", `${nameOf(path)} is not a list: it is not UTF-8 text`, {
        hint: 'A list has one page a line: a URL, or {"url": "…", "maxPrice": "0.02 USD"}.',
        details: { path, line: 0, code: null },
      });
    }
    yield* all;
  } finally {
    await chunks.return?.();
  }
}

async function* withFirst(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
    yield next.value;
  }
}

/** What went wrong with a list, after so many lines of it. */
export function toListError(
  error: unknown,
  { path, line }: { readonly path: string | null; readonly line: number },
): LicetError {
  if (error instanceof Error && error.name === "LicetError") {
    return error as LicetError;
  }
  const { code = null } = (typeof error === "object" && error !== null ? error : {}) as { readonly code?: string };
  const why = code === "EISDIR" ? "it is a directory" : messageOf(error);
  const where = line === 0 ? "" : ` behind line ${line}`;
  return new LicetError("LIST_UNREADABLE", `${nameOf(path)} cannot be read${where}: ${why}`, {
    hint: "--list names a file with one page a line, or - for standard input",
    details: { path, line, code: typeof code === "string" ? code : null },
    cause: error,
  });
}

function nameOf(path: string | null): string {
  return path ?? "the list";
}
