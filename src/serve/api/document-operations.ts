/** Stored documents, page by page. Texts are in JSON alone, because they come from the network. */
import { z } from "zod";
import { INPUTS } from "../../agent/calls/inputs.ts";
import { type DocumentCall, takeDocumentFilter } from "../../agent/documents/document-filter-checks.ts";
import { checkDocumentSite, findSince } from "../../agent/documents/documents-agent.ts";
import { readDocument } from "../../agent/documents/find-documents-agent.ts";
import { createShowRights, type ShowRights } from "../../agent/rights/document-rights.ts";
import { LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { CONTENT_FIELDS, type DocumentPage } from "./answers.ts";
import { type Operation, operation } from "./operation.ts";
import { flagInQuery, inQuery, rowParams, rows } from "./request-parts.ts";

const MAX_DOCUMENTS = 100;
const MAX_FOUND = 500;
/** Documents that are read at once. One may have megabytes. */
const DOCUMENTS_A_READ = 8;
/** A page ends after the document that reaches this, so an answer has at most this and one document. Characters. */
const MAX_PAGE_CHARS = 8_388_608;

const listQuery = z.strictObject({
  limit: rows(MAX_DOCUMENTS, 50).describe("At most so many."),
  ...inQuery(INPUTS.documents),
  content: flagInQuery().describe("Whether the documents come with their texts."),
  cursor: z
    .string()
    .regex(/^[pr]\d{1,15}$/, "`nextCursor` of a page before")
    .optional()
    .describe("`nextCursor` of the page before, with the same filters."),
});

export const documentOperations: readonly Operation[] = [
  operation("documents", "/documents", {
    id: "listDocuments",
    summary: "Stored documents with their evidence: licence, price, run, rule",
    asks: { querystring: listQuery },
    answer: "DocumentPage",
    work: async ({ resources }, { querystring: { limit, content, cursor, ...asked } }) => {
      const call = takeDocumentFilter("documents", asked);
      const ledger = await resources.ledger("read");
      const filter = { ...call, sinceAt: await findSince(ledger, call) };
      await checkDocumentSite(resources, ledger, filter.host);
      const after = readCursor(cursor, filter);
      const showRights = createShowRights(resources);
      return readPage({ ...createReader(ledger, filter), showRights }, { limit, after, withContent: content });
    },
  }),
  operation("findDocuments", "/documents/search", {
    id: "findDocuments",
    summary: "Stored documents by address, title, site, licence or hash, without their texts",
    asks: { querystring: z.strictObject({ ...inQuery(INPUTS.findDocuments), limit: rows(MAX_FOUND, 50) }) },
    answer: "DocumentSearchReport",
    work: ({ agent }, { querystring }) => agent.findDocuments(querystring),
  }),
  operation("documentDetails", "/documents/:id/evidence", {
    id: "getDocumentEvidence",
    summary: "One document without its texts, and its evidence",
    asks: { params: rowParams("The document's `purchaseId`.") },
    answer: "DocumentDetails",
    work: ({ agent }, { params: { id } }) => agent.documentDetails(id),
  }),
  operation("documents", "/documents/:id", {
    id: "getDocument",
    summary: "One document with its texts",
    asks: { params: rowParams("The document's `purchaseId`.") },
    answer: "Document",
    work: ({ resources }, { params: { id } }) => readDocument(resources, id),
  }),
];

interface Read {
  readonly document: StoredDocument;
  readonly cursor: number;
}
interface Reader {
  /** Cursors of one listing mean nothing in the other. */
  readonly letter: "p" | "r";
  read(after: number, limit: number): Promise<readonly Read[]>;
}

function createReader(ledger: Ledger, { runId, host, sinceAt }: DocumentCall): Reader {
  if (runId !== null) {
    return {
      letter: "r",
      read: async (afterPurchaseId, limit) => {
        const documents = await ledger.readRunDocuments({ runId, host, sinceAt, afterPurchaseId, limit });
        return documents.map((document) => ({ document, cursor: document.purchaseId }));
      },
    };
  }
  return {
    letter: "p",
    read: async (afterPageId, limit) => {
      const documents = await ledger.readDocuments({ host, sinceAt, afterPageId, limit });
      return documents.map(({ pageId, ...document }) => ({ document, cursor: pageId }));
    },
  };
}

async function readPage(
  reader: Reader & { readonly showRights: ShowRights },
  { limit, after, withContent }: { readonly limit: number; readonly after: number; readonly withContent: boolean },
): Promise<DocumentPage> {
  const documents: DocumentPage["documents"][number][] = [];
  let last = after;
  let chars = 0;
  while (documents.length < limit && chars < MAX_PAGE_CHARS) {
    const wanted = Math.min(DOCUMENTS_A_READ, limit - documents.length);
    const read = await reader.read(last, wanted);
    for (const { document: stored, cursor } of read) {
      last = cursor;
      const document = reader.showRights(stored);
      if (document === null) {
        continue;
      }
      documents.push(withContent ? document : withoutContent(document));
      chars += withContent ? countChars(document) : 0;
      if (chars >= MAX_PAGE_CHARS) {
        break;
      }
    }
    if (read.length < wanted && chars < MAX_PAGE_CHARS) {
      return { documents, nextCursor: null };
    }
  }
  return { documents, nextCursor: `${reader.letter}${last}` };
}

function withoutContent({ markdown, html, header, footer, ...evidence }: StoredDocument) {
  return evidence;
}

const countChars = (document: StoredDocument): number =>
  CONTENT_FIELDS.reduce((sum, field) => sum + (document[field]?.length ?? 0), 0);

function readCursor(cursor: string | undefined, { runId }: DocumentCall): number {
  if (cursor === undefined) {
    return 0;
  }
  if (cursor.startsWith("r") !== (runId !== null)) {
    throw new LicetError("REQUEST_INVALID", "the cursor belongs to a list with other filters", {
      hint: "Give the cursor with the filters of the page before.",
    });
  }
  return Number(cursor.slice(1));
}
