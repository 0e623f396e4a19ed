import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { License } from "../rates/license.ts";
import type { ListedRates } from "../rates/listed-rate.ts";
import type { UseKind, UseState } from "../usage/use.ts";
import type { Act } from "./act-ledger.ts";

/** What the gateway answered about a use, on its report. */
export interface EvidenceReceipt {
  readonly perUnitMicros: Micros;
  /** Of all uses of the page in that report. */
  readonly totalMicros: Micros;
  readonly currency: Currency;
  readonly licenseType: string;
  readonly licenseCuid: string | null;
  /** What the gateway says went wrong. Null: nothing. */
  readonly error: string | null;
  readonly at: number;
}

/** A use of a version, and how it was reported. */
export interface EvidenceUse {
  readonly useId: number;
  /** The caller's name for it. */
  readonly key: string | null;
  /** `fetch`: the use that the purchase itself is. */
  readonly kind: UseKind;
  readonly times: number;
  readonly usedAt: number;
  readonly state: UseState;
  /** The expected price of one use, and what was charged for it on its report. Null: nothing was, or not yet. */
  readonly unitMicros: Micros;
  readonly chargedMicros: Micros | null;
  readonly currency: Currency;
  /** The report that it is in, and the id under which the gateway has it. Null: it is in none. */
  readonly batchId: number | null;
  readonly idempotencyId: string | null;
  /** What the gateway answered. Empty: nothing yet. */
  readonly receipts: readonly EvidenceReceipt[];
}

/** One version of a page: what was bought, under which terms, what was paid, and what became of it. */
export interface EvidenceVersion {
  readonly url: string;
  readonly host: string;
  readonly purchaseId: number;
  /** The spelling that it was bought under and is reported under. */
  readonly boughtUrl: string;
  readonly runId: string;
  readonly intent: "content" | "indexing";
  readonly format: "markdown" | "html" | "both";
  /** When its content was stored. */
  readonly boughtAt: number;
  /** Whether it is the version that is stored of the page now. */
  readonly isNewest: boolean;
  /** `sha256:` and the hash in hexadecimal: `hashCovers` says of which bytes. */
  readonly hash: string;
  readonly policyName: string;
  /** Position in the policy's rules, from 0, and the rule's words at the decision. Null: it was not recorded with the purchase. */
  readonly ruleIndex: number;
  readonly rule: string | null;
  /** Null: it was fetched for indexing, under no license. */
  readonly license: License | null;
  /** The rates that the gateway listed when it was decided. Null: none were asked for. */
  readonly listing: ListedRates | null;
  readonly quotedMicros: Micros;
  readonly quotedFeeMicros: Micros;
  /** The largest charge that its token allowed: the quoted price. Null for indexing. */
  readonly tokenCapMicros: Micros | null;
  readonly chargedMicros: Micros | null;
  readonly chargedFeeMicros: Micros | null;
  /** Null for indexing. */
  readonly currency: Currency | null;
  /** The gateway's id of the request that was charged. */
  readonly requestId: string | null;
  /** As the gateway sent them. */
  readonly published: string | null;
  readonly modified: string | null;
  /** `license.validUntil`, epoch ms. Null: the gateway named no end. */
  readonly validUntilAt: number | null;
  /** The policy's retention at the purchase, ms. Null: none. */
  readonly retentionMs: number | null;
  /** When its texts were removed, why, and by whom. Null: they are stored. */
  readonly purged: {
    readonly purgedAt: number;
    /** `validUntil`, `retention`, or `named:` with the reason. */
    readonly why: string;
    readonly by: string | null;
    readonly reason: string | null;
  } | null;
  /** The fetch first, then the later uses, the oldest first. */
  readonly uses: readonly EvidenceUse[];
  /** How many later uses there are, listed or not. */
  readonly usesTotal: number;
}

export interface EvidenceLedger {
  /**
   * The versions of a page, or those with a hash, the newest first, with their uses. Found by indexes.
   * @param query.hash in hexadecimal, without `sha256:`
   */
  readEvidence(
    query: { readonly limit: number; readonly usesLimit: number } & (
      | { readonly url: string; readonly hash?: undefined }
      | { readonly hash: string; readonly url?: undefined }
    ),
  ): Promise<{ readonly versions: readonly EvidenceVersion[]; readonly acts: readonly Act[] }>;
  /**
   * Enters the hashes of documents that were stored since into the index by which `readEvidence` finds them: nobody waits for it while
   * pages are bought. @returns how many were entered; fewer than the limit: it is complete
   */
  indexHashes(request: { readonly limit: number }): Promise<number>;
}
