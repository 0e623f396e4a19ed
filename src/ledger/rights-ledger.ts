/** When the rights to stored content end, and what is removed or bought again then. The rules are in src/rights. */
import type { ActedBy } from "../act/act.ts";
import type { RefreshTerms } from "../catalog/freshness.ts";
import type { ExpiryAction, Intent } from "../policy/rule.ts";
import type { License } from "../rates/license.ts";
import type { ExpiryPolicies, RightsEndReason } from "../rights/rights.ts";

/** A stored page whose rights end. */
export interface ExpiringDocument {
  readonly url: string;
  readonly host: string;
  readonly purchaseId: number;
  readonly policyName: string;
  /** Null for content that was only indexed. */
  readonly license: License | null;
  readonly storedAt: number;
  readonly endsAt: number;
  readonly why: RightsEndReason;
  readonly action: ExpiryAction;
  /** Under `relicense`: it was renewed before, for less than a day, and is not renewed again by itself. */
  readonly isTooShortToRenew: boolean;
  /** Since when the catalog does not have the page any more. Such a page is not renewed. */
  readonly goneAt: number | null;
}

/** Stored pages whose rights end, counted. */
export interface ExpiringCount {
  readonly host: string;
  readonly action: ExpiryAction;
  /** Rights that ended, and rights that will. */
  readonly ended: number;
  readonly ending: number;
}

/** A stored page that is not in the catalog any more, or that the gateway does not sell any more. */
export interface LostPage {
  readonly url: string;
  readonly host: string;
  readonly purchaseId: number;
  /** `gone`: a full walk did not find it. Otherwise the reason of its last denial. */
  readonly why: "gone" | "not_licensable";
  readonly since: number;
}

/** A version whose texts go, or went. */
export interface PurgedVersion {
  readonly url: string;
  readonly host: string;
  readonly purchaseId: number;
  /** When the rights ended. Null: it was named. */
  readonly endedAt: number | null;
  readonly why: RightsEndReason | "named";
}

export interface PurgeRequest {
  readonly policies: ExpiryPolicies;
  /** Only these sites. Null: all. */
  readonly hosts: readonly string[] | null;
  /** Takes out every version of these pages, whatever their rights, and nothing else. Null: what has ended under `purge`. Canonical. */
  readonly named: { readonly urls: readonly string[]; readonly reason: string } | null;
  readonly now: number;
  readonly dryRun: boolean;
  /** Who asks for it. Kept as an act. */
  readonly who?: ActedBy;
  /** How many versions the result names. */
  readonly limit: number;
}

export interface PurgeResult {
  readonly versions: number;
  readonly bySite: Readonly<Record<string, number>>;
  readonly examples: readonly PurgedVersion[];
  /** Named URLs of which nothing is stored. */
  readonly unknown: readonly string[];
}

/** What became of the bytes that were removed. */
export type Cleaning =
  /** Nothing was removed since the file was cleaned. */
  | { readonly state: "clean" }
  | { readonly state: "cleaned"; readonly fileBytes: number }
  /**
   * Removed text may still be readable in unused room of the file or in its log. `in_use`: another process reads or writes, or works and
   * the file is too large to stop it for so long. `disk_full`: there is no room for the copy that cleaning makes.
   */
  | { readonly state: "due"; readonly since: number; readonly why: "in_use" | "disk_full"; readonly fileBytes: number };

/** Where a reading of pages goes on. Opaque. */
export interface EndingCursor {
  readonly pass: "license" | "retention";
  readonly at: number;
  readonly rowId: number;
}

export interface RenewalCandidates {
  readonly stale: boolean;
  readonly pages: readonly { readonly pageId: number; readonly url: string }[];
  /** Null: these were the last ones. */
  readonly next: EndingCursor | null;
}

export interface RightsLedger {
  /**
   * The stored pages whose rights ended or end until an instant, the earliest end first, without those that were purged. Reads an index in
   * pieces; the cost follows the number of these pages.
   */
  readExpiring(query: {
    readonly policies: ExpiryPolicies;
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<{ readonly documents: readonly ExpiringDocument[]; readonly counts: readonly ExpiringCount[] }>;
  /** Stored pages that are gone from their catalog, or whose last denial says that they are not licensable. */
  readLost(query: {
    readonly limit: number;
  }): Promise<{ readonly gone: number; readonly notLicensable: number; readonly pages: readonly LostPage[] }>;
  /**
   * Takes texts out of the ledger and keeps the evidence: hash, license, price, dates, uses. Idempotent: what is out stays as it is. Safe
   * to be cut off at any point. The next call goes on. Afterwards `cleanFile` is due.
   */
  purge(request: PurgeRequest): Promise<PurgeResult>;
  /**
   * Makes removed texts unreadable in the file and in its log. Idempotent.
   * @param request.maxBytes a larger file is left as it is, because every write waits meanwhile. Null: any size
   */
  cleanFile(request: { readonly maxBytes: number | null }): Promise<Cleaning>;
  /** Pages of the walk's site whose rights are to be renewed, read in pieces. Reads only. */
  listRenewals(query: {
    readonly leaseId: string;
    readonly policies: ExpiryPolicies;
    readonly now: number;
    readonly after: EndingCursor | null;
    readonly limit: number;
  }): Promise<RenewalCandidates>;
  /**
   * Puts pages into the frontier of the walk's run although the walk may not reach them: an incremental walk ends above a page that did not
   * change. Idempotent: a page that the run has seen stays as it is.
   */
  admitRenewals(admission: {
    readonly leaseId: string;
    readonly pageIds: readonly number[];
    readonly policies: ExpiryPolicies;
    readonly now: number;
    readonly refresh: RefreshTerms;
    readonly intent: Intent;
    readonly quoteBatchSize: number;
  }): Promise<{ readonly stale: boolean; readonly admitted: number }>;
}
