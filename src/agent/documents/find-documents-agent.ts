/** `agent.findDocuments` and `agent.documentDetails`: stored documents, looked for by people. */
import { LicetError } from "../../errors.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { describeLicense } from "../../rates/describe-license.ts";
import { openLedgerOrEmpty, type Resources } from "../compose.ts";
import { createShowRights, findRights } from "../rights/document-rights.ts";
import type { DocumentDetails, DocumentSearchOptions, DocumentSearchReport } from "./found-documents.ts";

const USUAL_DOCUMENTS = 50;
/** Versions of a page among which the one that is asked for is looked for. */
const MAX_VERSIONS = 1_000;
const MAX_USES = 100;

/** @throws LicetError LEDGER_* */
export async function findDocumentsAgent(
  resources: Resources,
  { url, title, site, license, hash, limit = USUAL_DOCUMENTS, cursor }: DocumentSearchOptions,
): Promise<DocumentSearchReport> {
  const { ledger, release } = await openLedgerOrEmpty(resources, "read");
  try {
    const { documents, looked, next } = await ledger.findDocuments({
      url: url === undefined ? null : withScheme(url),
      title: title ?? null,
      host: site?.toLowerCase() ?? null,
      license: license ?? null,
      hash: hash === undefined ? null : hash.toLowerCase().replace(/^sha256:/, ""),
      after: cursor ?? null,
      limit,
    });
    const withRights = documents.map((document) => ({ ...document, rights: findRights(resources, document) }));
    return {
      // As everywhere: what may not be used any more and is to be purged is not given out.
      documents: withRights.filter(({ rights }) => rights?.hasEnded !== true || rights.action !== "purge"),
      looked,
      nextCursor: next,
    };
  } finally {
    await release();
  }
}

const withScheme = (url: string): string => (/^https?:/i.test(url) ? url : `https://${url}`);

/** @throws LicetError DOCUMENT_NOT_FOUND */
export async function documentDetailsAgent(resources: Resources, purchaseId: number): Promise<DocumentDetails> {
  const document = await readDocument(resources, purchaseId);
  const { title, author, description, key, markdown, html, conversionFailure, url } = document;
  const ledger = await resources.ledger("read");
  const { versions, acts } = await ledger.readEvidence({ url, limit: MAX_VERSIONS, usesLimit: MAX_USES });
  const version = versions.find((one) => one.purchaseId === purchaseId);
  if (version === undefined) {
    throw notFound(purchaseId);
  }
  return {
    title,
    author,
    description,
    key,
    markdownChars: markdown?.length ?? null,
    htmlChars: html?.length ?? null,
    conversionFailure,
    version: {
      ...version,
      licenseText: version.license === null ? null : describeLicense(version.license),
      rights: findRights(resources, version),
    },
    acts,
  };
}

/** One document with its texts. @throws LicetError DOCUMENT_NOT_FOUND where its content is not stored, was purged, or may not be used any more */
export async function readDocument(
  resources: Pick<Resources, "config" | "clock" | "ledger">,
  purchaseId: number,
): Promise<StoredDocument> {
  const stored = await (await resources.ledger("read")).readDocument(purchaseId);
  const document = stored === null ? null : createShowRights(resources)(stored);
  if (document === null) {
    throw notFound(purchaseId);
  }
  return document;
}

const notFound = (purchaseId: number) =>
  new LicetError("DOCUMENT_NOT_FOUND", `no document of purchase ${purchaseId} is stored`, {
    hint: "`licet documents` and GET /api/v1/documents list the documents.",
    details: { purchaseId },
  });
