/**
 * Gives each settled document to the program that runs the crawl (`agent.run({ onDocument })`), and waits until the program has taken it.
 * The page keeps its place among the pages under way meanwhile, so a slow program slows the buying down (back-pressure), and no more
 * documents wait than pages may be under way.
 *
 * The settlement is committed before (promise 4). A document that the program misses, because the process ends or an earlier call failed,
 * is in the ledger. It is not given again: at most once.
 */
import pLimit from "p-limit";
import { LicetError, messageOf } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";

export interface DocumentSink {
  /** Gives the document of a purchase whose settlement is committed. @throws LicetError DOCUMENT_NOT_TAKEN, once; LEDGER_* */
  give(purchaseId: number): Promise<void>;
}

export interface DocumentSinkOptions {
  readonly ledger: Pick<Ledger, "readDocument">;
  /** Takes one document. When it fails, no further document is given. */
  readonly take: (document: StoredDocument) => unknown;
  /** Calls of `take` at once. */
  readonly atOnce: number;
}

/** The sink of a run whose documents nobody takes. */
export const NO_SINK: DocumentSink = { give: async () => {} };

export function createDocumentSink({ ledger, take, atOnce }: DocumentSinkOptions): DocumentSink {
  const calls = pLimit(atOnce);
  let hasFailed = false;
  const giveOne = async (purchaseId: number): Promise<void> => {
    // The document is read when it is its turn: one that waits needs no memory.
    const document = hasFailed ? null : await ledger.readDocument(purchaseId);
    if (document === null || hasFailed) {
      return;
    }
    try {
      await take(document);
    } catch (cause) {
      const isFirst = !hasFailed;
      hasFailed = true;
      if (isFirst) {
        throw notTaken(document, cause);
      }
    }
  };
  return { give: (purchaseId) => calls(giveOne, purchaseId) };
}

function notTaken({ url, purchaseId, runId }: StoredDocument, cause: unknown): LicetError {
  const why = messageOf(cause);
  return new LicetError("DOCUMENT_NOT_TAKEN", `onDocument failed for ${url}: ${why}`, {
    hint: `Every document is stored: read the missed ones with agent.documents({ run: "${runId}" }), and start the run again to continue it.`,
    details: { url, purchaseId, runId },
    cause,
  });
}
