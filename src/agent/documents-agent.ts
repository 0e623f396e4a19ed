/** `agent.documents`: everything held, a bounded number of pages in memory at a time. */
import type { HeldDocument } from "../ledger/ledger-reports.ts";
import type { Resources } from "./compose.ts";

const DOCUMENTS_AT_ONCE = 64;

export async function* documentsAgent(
  resources: Resources,
  filter: { readonly host?: string },
): AsyncIterableIterator<HeldDocument> {
  const ledger = await resources.ledger();
  let afterPageId = 0;
  for (;;) {
    const documents = await ledger.readDocuments({ host: filter.host ?? null, afterPageId, limit: DOCUMENTS_AT_ONCE });
    if (documents.length === 0) {
      return;
    }
    for (const { pageId, ...document } of documents) {
      afterPageId = pageId;
      yield document;
    }
  }
}
