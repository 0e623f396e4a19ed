/** `agent.documents`: all stored documents, with a bounded number of pages in memory. */
import type { StoredDocument } from "../ledger/ledger-reports.ts";
import type { DocumentFilter } from "./agent.ts";
import type { Resources } from "./compose.ts";

const DOCUMENTS_AT_ONCE = 64;

export async function* documentsAgent(
  resources: Resources,
  { host = null, deriveMarkdown = false }: { readonly host?: string | null } & Omit<DocumentFilter, "host">,
): AsyncIterableIterator<StoredDocument> {
  const ledger = await resources.ledger("read");
  let afterPageId = 0;
  for (;;) {
    const documents = await ledger.readDocuments({ host, afterPageId, limit: DOCUMENTS_AT_ONCE });
    if (documents.length === 0) {
      return;
    }
    for (const { pageId, ...document } of documents) {
      afterPageId = pageId;
      yield deriveMarkdown ? await withMarkdown(resources, document) : document;
    }
  }
}

/** A conversion that failed before is not tried again, because its reason is stored with the page. */
async function withMarkdown(resources: Resources, document: StoredDocument): Promise<StoredDocument> {
  if (document.markdown !== null || document.html === null || document.conversionFailure !== null) {
    return document;
  }
  const conversion = await (await resources.converter()).convert(document.html, document.url);
  return conversion.ok
    ? { ...document, markdown: conversion.markdown }
    : { ...document, conversionFailure: `${conversion.reason}: ${conversion.detail}` };
}
