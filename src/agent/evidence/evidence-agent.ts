/** `agent.evidence`: what the ledger proves about a page or a hash. It asks nobody else, and needs no secret. */
import { setImmediate } from "node:timers/promises";
import { HASH_COVERS } from "../../content/content-hash.ts";
import { isLicetError, LicetError } from "../../errors.ts";
import type { Act } from "../../ledger/act-ledger.ts";
import type { EvidenceVersion } from "../../ledger/evidence-ledger.ts";
import { describeLicense } from "../../rates/describe-license.ts";
import type { DocumentRights } from "../../rights/rights.ts";
import type { Resources } from "../compose.ts";
import { parsePage } from "../reports/explain-agent.ts";
import { findRights } from "../rights/document-rights.ts";

const USUAL_VERSIONS = 100;
/** Later uses that are listed of a version. All of them are counted. */
const MAX_USES = 1_000;
/** Hashes that are entered into their index in one write. */
const HASHES_AT_ONCE = 5_000;

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

/** @throws LicetError EVIDENCE_NOT_FOUND, PAGE_URL_INVALID for what is neither a URL nor a hash, LEDGER_* */
export async function evidenceAgent(
  resources: Resources,
  asked: string,
  { limit = USUAL_VERSIONS }: EvidenceOptions,
): Promise<Evidence> {
  const hash = readHash(asked);
  const subject = hash === null ? parsePage(asked).url : `sha256:${hash}`;
  if (hash !== null) {
    await indexHashes(resources);
  }
  const ledger = await resources.ledger("read");
  const which = { limit: limit + 1, usesLimit: MAX_USES };
  const found = await ledger.readEvidence(hash === null ? { ...which, url: subject } : { ...which, hash });
  if (found.versions.length === 0) {
    throw new LicetError("EVIDENCE_NOT_FOUND", `the ledger has no version of ${subject}`, {
      hint:
        hash === null
          ? `It was never bought, or its content never came: licet explain ${subject}`
          : "Give the hash of the whole document, as an export names it: it is not the hash of a file.",
      details: { subject },
    });
  }
  const versions = found.versions.slice(0, limit).map((version) => toDocumented(resources, version));
  return {
    subject,
    madeAt: resources.clock.now(),
    hashCovers: HASH_COVERS,
    versions,
    hasMore: found.versions.length > limit,
    acts: found.acts,
  };
}

export function toDocumented(resources: Resources, version: EvidenceVersion): DocumentedVersion {
  return {
    ...version,
    licenseText: version.license === null ? null : describeLicense(version.license),
    rights: findRights(resources, version),
  };
}

/** In hexadecimal, with or without `sha256:` before it. Null: it is not a hash. */
function readHash(text: string): string | null {
  return /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text)?.[1]?.toLowerCase() ?? null;
}

/** A ledger that cannot be written is read without it, which takes longer. */
async function indexHashes(resources: Resources): Promise<void> {
  try {
    const ledger = await resources.ledger("existing");
    while ((await ledger.indexHashes({ limit: HASHES_AT_ONCE })) === HASHES_AT_ONCE) {
      // A service answers its requests in between.
      await setImmediate();
    }
  } catch (error) {
    if (
      !isLicetError(error) ||
      !["LEDGER_UNWRITABLE", "LEDGER_RESTORED", "LEDGER_LOCKED", "DISK_FULL"].includes(error.code)
    ) {
      throw error;
    }
  }
}
