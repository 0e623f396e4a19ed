/** What `agent.run({ list })` takes, as a list that a run can open. */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { misused, show } from "../../check-options.ts";
import type { NewList } from "../../ledger/list-ledger.ts";
import { type ListedLine, parseEntry, parseLine } from "../../list/parse-line.ts";
import type { ListLine } from "../../pipeline/lists/list-reader.ts";
import { readListBytes, readListFile, toListError } from "./list-bytes.ts";

/**
 * A list of pages to buy: a file, a stream of its bytes, or the pages themselves, as texts (a URL, or a line of JSON) or as objects. A program's
 * own list is read as it is needed, and closed when the run ends or stops.
 */
export type ListInput =
  | { readonly file: string }
  | { readonly stream: AsyncIterable<Uint8Array> }
  | Iterable<string | ListedLine>
  | AsyncIterable<string | ListedLine>;

/** A list that a run can open. */
export interface OpenableList extends NewList {
  /** Its lines from the first one. A list without a file is opened once. */
  open(): AsyncIterator<ListLine>;
}

/** The list of a file, such as that of a run that goes on. */
export function openListFile(source: NewList["source"], path: string): OpenableList {
  return { source, path, open: () => (source === "plan" ? withoutHeader(readListFile(path)) : readListFile(path)) };
}

/** @throws LicetError USAGE_INVALID for what is not a list */
export function toOpenableList(call: "plan" | "run", input: unknown): OpenableList {
  if (isOpenableList(input)) {
    return input;
  }
  if (typeof input === "object" && input !== null) {
    if (Symbol.asyncIterator in input || Symbol.iterator in input) {
      const pages = input as Iterable<unknown> | AsyncIterable<unknown>;
      return { source: "list", path: null, open: () => readPages(pages) };
    }
    if ("file" in input && typeof input.file === "string" && input.file !== "") {
      const path = resolve(input.file);
      if (isReadOnce(path)) {
        return { source: "list", path: null, open: () => readListFile(path) };
      }
      return openListFile("list", path);
    }
    if ("stream" in input && isStream(input.stream)) {
      const { stream } = input;
      return { source: "list", path: null, open: () => readListBytes(stream, null) };
    }
  }
  throw misused(
    call,
    `list must be a file or the pages themselves, not ${show(input)}`,
    `agent.${call}({ list: { file: "pages.jsonl" } }), or agent.${call}({ list: ["https://…"] })`,
  );
}

/** A pipe, such as `<(command)` of a shell: what has been read of it cannot be read again, so it is not a file to come back to. */
function isReadOnce(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

function isStream(value: unknown): value is AsyncIterable<Uint8Array> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
}

function isOpenableList(input: unknown): input is OpenableList {
  return typeof input === "object" && input !== null && "open" in input && "source" in input;
}

/** The first line of a plan says what the plan is. It is read and names no page. */
async function* withoutHeader(lines: AsyncGenerator<ListLine>): AsyncGenerator<ListLine> {
  let isHeader = true;
  for await (const line of lines) {
    yield isHeader ? { ...line, parsed: { kind: "blank" } } : line;
    isHeader = false;
  }
}

/** The pages of a program. Its own failures are reported as failures of the list. */
function readPages(pages: Iterable<unknown> | AsyncIterable<unknown>): AsyncIterator<ListLine> {
  const iterator: Iterator<unknown> | AsyncIterator<unknown> =
    Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : pages[Symbol.iterator]();
  let line = 0;
  // Not a generator: that would not hand on `return()` while the program is still making its next page.
  return {
    async next() {
      try {
        const next = await iterator.next();
        if (next.done === true) {
          return { done: true, value: undefined };
        }
        line += 1;
        return { done: false, value: toLine(next.value) };
      } catch (error) {
        throw toListError(error, { path: null, line });
      }
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
}

function toLine(page: unknown): ListLine {
  if (typeof page === "string") {
    return { text: page, parsed: parseLine(page) };
  }
  return { text: toText(page), parsed: parseEntry(page) };
}

/** What the digest is made of, and what is shown of a page that is left out. */
function toText(page: unknown): string {
  try {
    return JSON.stringify(page) ?? String(page);
  } catch {
    return String(page);
  }
}
