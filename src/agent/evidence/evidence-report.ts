import type { Act } from "../../ledger/act-ledger.ts";
import type { EvidenceVersion } from "../../ledger/evidence-ledger.ts";
import type { DocumentRights } from "../../rights/rights.ts";

/** How evidence is gathered. */
export interface EvidenceOptions {
  /** At most so many versions, the newest first. @default 100 */
  readonly limit?: number | undefined;
}

/** A version with what follows from it today. */
export interface DocumentedVersion extends EvidenceVersion {
  /** The license in plain words. Null: it was fetched for indexing, under no license. */
  readonly licenseText: string | null;
  /** Until when it may be used, and what happens then, under the policies of now. Null: its rights have no end. */
  readonly rights: DocumentRights | null;
}

/** `evidence --json`: what the ledger proves about a page, or about all versions with one hash. */
export interface Evidence {
  /** The page's URL, or `sha256:` and the hash. */
  readonly subject: string;
  /** When this was read. */
  readonly madeAt: number;
  /** Which bytes the hashes cover, so that anybody can compute them. */
  readonly hashCovers: string;
  readonly versions: readonly DocumentedVersion[];
  /** Whether there are more versions than `limit`. */
  readonly hasMore: boolean;
  /** Who decided what about their pages, the newest first. */
  readonly acts: readonly Act[];
}
