import { createNewFile } from "../../agent/files/new-file.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import type { ExportDirectory } from "./export-directory.ts";
import { toExportError } from "./export-error.ts";
import { type ExportOutcome, MAX_SKIPPED } from "./export-outcome.ts";
import { exportPath } from "./export-path.ts";
import { frontMatter } from "./front-matter.ts";
import { inertMarkdown } from "./inert-markdown.ts";
import { isOwnMarkdown, requireOwn } from "./own-file.ts";

/**
 * Writes one file for each page, with front matter. Each file is replaced as a whole. Files of pages that are no longer stored
 * stay.
 */
export async function exportMarkdown(
  directory: ExportDirectory,
  documents: AsyncIterable<StoredDocument>,
  signal: AbortSignal,
  writer: string | null = null,
): Promise<ExportOutcome> {
  const skipped: { url: string; reason: string }[] = [];
  let skippedCount = 0;
  let count = 0;
  let bytes = 0;
  for await (const document of documents) {
    signal.throwIfAborted();
    if (document.markdown !== null) {
      bytes += await writePage(directory, { ...document, markdown: document.markdown }, writer);
      count++;
      continue;
    }
    skippedCount++;
    if (skipped.length < MAX_SKIPPED) {
      skipped.push({ url: document.url, reason: whyNoMarkdown(document) });
    }
  }
  directory.sync();
  return { documents: count, files: count, bytes, skipped, skippedCount };
}

function whyNoMarkdown({ html, conversionFailure }: StoredDocument): string {
  return html === null
    ? "it has no main content"
    : `its HTML could not be converted (${conversionFailure}): --format jsonl has it`;
}

async function writePage(
  directory: ExportDirectory,
  document: StoredDocument & { readonly markdown: string },
  writer: string | null,
): Promise<number> {
  const { markdown } = document;
  // Markdown that licet derived from HTML is inert. Markdown from the gateway is not.
  const text = document.html === null ? inertMarkdown(markdown) : markdown;
  const path = await directory.prepare(exportPath(document.url));
  await requireOwn(path, isOwnMarkdown);
  const file = await createNewFile(path, { toError: toExportError, writer });
  try {
    await file.write(`${frontMatter(document)}\n${text}${text.endsWith("\n") ? "" : "\n"}`);
    return await file.finish();
  } finally {
    await file.discard();
  }
}
