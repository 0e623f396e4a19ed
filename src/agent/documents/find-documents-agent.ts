/** `agent.findDocuments` and `agent.documentDetails`: stored documents, looked for by people. */
import { LicetError } from "../../errors.ts";
import type { Act } from "../../ledger/act-ledger.ts";
import type { FoundDocument } from "../../ledger/found-documents.ts";
import type { StoredDocument } from "../../ledger/ledger-reports.ts";
import { type Resources, withLedgerOrEmpty } from "../compose.ts";
import { type DocumentedVersion, toDocumented } from "../evidence/evidence-agent.ts";
import { createShowRights, findRights } from "../rights/document-rights.ts";

const USUAL_DOCUMENTS = 50;
/** Versions of a page among which the one that is asked for is looked for. */
const MAX_VERSIONS = 1_000;
const MAX_USES = 100;

/** Which documents are looked for. Everything that is given must hold. */
export interface DocumentSearchOptions {
  /** The beginning of the page's address. Without `https://` it is put before. */
  readonly url?: string | undefined;
  /** A part of the title, in capital or small letters. */
  readonly title?: string | undefined;
  /** Only this site: its host. */
  readonly site?: string | undefined;
  /** Only this license: its type or its cuid. */
  readonly license?: string | undefined;
  /** The hash of the whole document, with or without `sha256:`. */
  readonly hash?: string | undefined;
  /** At most so many. @default 50 */
  readonly limit?: number | undefined;
  /** `nextCursor` of the page before, with the same search. */
  readonly cursor?: string | undefined;
}

/** `documents --json`: by address in the order of addresses, else the newest first. The newest version of each page alone. */
export interface DocumentSearchReport {
  readonly documents: readonly FoundDocument[];
  /** How many stored documents this look took. */
  readonly looked: number;
  /** Give it as `cursor` to look further: one look takes 3,000 documents, so it may find none although more follow. Null: it came to the end. */
  readonly nextCursor: string | null;
}

/** `documents ID --json`: one document without its texts, and its evidence. */
export interface DocumentDetails {
  readonly title: string | null;
  readonly author: string | null;
  readonly description: string | null;
  /** The caller's own name of the page, from the newest list that has one. */
  readonly key: string | null;
  /** How many characters its texts have. Null: it has no such text. */
  readonly markdownChars: number | null;
  readonly htmlChars: number | null;
  /** Why its HTML could not be converted. Null: it was, or there was nothing to convert. */
  readonly conversionFailure: string | null;
  readonly version: DocumentedVersion;
  /** What persons decided about the page, the newest first. */
  readonly acts: readonly Act[];
}

/** @throws LicetError LEDGER_* */
export async function findDocumentsAgent(
  resources: Resources,
  { url, title, site, license, hash, limit = USUAL_DOCUMENTS, cursor }: DocumentSearchOptions,
): Promise<DocumentSearchReport> {
  return withLedgerOrEmpty(resources, "read", async (ledger) => {
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
  });
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
    version: toDocumented(resources, version),
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
