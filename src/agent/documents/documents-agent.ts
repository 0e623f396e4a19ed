/** `agent.documents`: stored documents, with a bounded number of pages in memory. */
import { misused } from "../../check-options.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { suggestKey } from "../../suggest-key.ts";
import type { Resources } from "../compose.ts";
import { createShowRights } from "../rights/document-rights.ts";
import type { DocumentCall } from "./document-filter-checks.ts";

export const DOCUMENTS_AT_ONCE = 64;

export async function* documentsAgent(resources: Resources, call: DocumentCall): AsyncIterableIterator<StoredDocument> {
  const ledger = await resources.ledger("read");
  await checkDocumentSite(resources, ledger, call.host);
  const sinceAt = await findSince(ledger, call);
  const showRights = createShowRights(resources);
  for await (const stored of readDocuments(ledger, { ...call, sinceAt })) {
    const document = showRights(stored);
    if (document === null) {
      continue;
    }
    yield call.deriveMarkdown ? await withMarkdown(resources, document) : document;
  }
}

/** @throws LicetError RUN_NOT_FOUND */
export async function findSince(ledger: Ledger, { sinceAt, sinceRunId }: DocumentCall): Promise<number | null> {
  return sinceRunId === null ? sinceAt : (await ledger.readRun(sinceRunId)).startedAt;
}

function readDocuments(ledger: Ledger, call: DocumentCall): AsyncGenerator<StoredDocument> {
  return call.runId === null ? readStored(ledger, call) : readOfRun(ledger, call);
}

async function* readStored(ledger: Ledger, { host, sinceAt }: DocumentCall): AsyncGenerator<StoredDocument> {
  for (let afterPageId = 0; ; ) {
    const documents = await ledger.readDocuments({ host, sinceAt, afterPageId, limit: DOCUMENTS_AT_ONCE });
    if (documents.length === 0) {
      return;
    }
    for (const { pageId, ...document } of documents) {
      afterPageId = pageId;
      yield document;
    }
  }
}

async function* readOfRun(ledger: Ledger, { runId, host, sinceAt }: DocumentCall): AsyncGenerator<StoredDocument> {
  for (let afterPurchaseId = 0; runId !== null; ) {
    const query = { runId, host, sinceAt, afterPurchaseId, limit: DOCUMENTS_AT_ONCE };
    const documents = await ledger.readRunDocuments(query);
    yield* documents;
    const last = documents.at(-1);
    if (last === undefined) {
      return;
    }
    afterPurchaseId = last.purchaseId;
  }
}

/** A mistyped site would look like a site without documents. A site that is no longer configured may still have some. */
export async function checkDocumentSite(
  { config }: Pick<Resources, "config">,
  ledger: Ledger,
  host: string | null,
  call: "documents" | "purge" | "pauseSite" | "unpauseSite" = "documents",
): Promise<void> {
  if (host === null || config.sites.some((site) => site.host === host)) {
    return;
  }
  const stored = await ledger.readDocuments({ host, sinceAt: null, afterPageId: 0, limit: 1 });
  if (stored.length === 0) {
    const known = config.sites.map((site) => site.host);
    const what = `${host} is not a configured site, and no document of it is stored`;
    throw misused(call, what, known.length === 0 ? 'Add it under "sites".' : suggestKey(host, known));
  }
}

/** A conversion that failed before is not tried again, because its reason is stored with the page. */
export async function withMarkdown(resources: Resources, document: StoredDocument): Promise<StoredDocument> {
  if (document.markdown !== null || document.html === null || document.conversionFailure !== null) {
    return document;
  }
  const conversion = await (await resources.converter()).convert(document.html, document.url);
  return conversion.ok
    ? { ...document, markdown: conversion.markdown }
    : { ...document, conversionFailure: `${conversion.reason}: ${conversion.detail}` };
}
