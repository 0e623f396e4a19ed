/** What a fetch reads: the stored version of a page, who is buying it, and what came of its purchase. */
import type { SetAside } from "../budget/set-aside.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { DenialReason } from "../policy/verdict.ts";
import type { PurchaseState } from "../purchase/purchase.ts";
import type { StoredDocument } from "./ledger-reports.ts";

/** The stored version of a page. */
export interface HeldPage {
  /** With its texts. The texts of a version that was purged are null. */
  readonly document: StoredDocument;
  /** When its texts were purged. Null: they are there. */
  readonly purgedAt: number | null;
}

/** A page that is being bought. */
export interface PageUnderWay {
  /** Canonical. */
  readonly url: string;
  readonly runId: string;
}

/** What a run did with a page: it bought it (or tried to), or it denied it. */
export type FetchedPage =
  | ({
      readonly kind: "purchase";
      /** Canonical. */
      readonly url: string;
      readonly purchaseId: number;
      readonly state: PurchaseState;
      /** The text of the rule that allowed it. */
      readonly rule: string | null;
      /** Null for indexing. */
      readonly currency: Currency | null;
      /** Null until it is settled. */
      readonly chargedMicros: Micros | null;
      readonly chargedFeeMicros: Micros | null;
      /** Why it was released or is in doubt. */
      readonly reason: string | null;
      readonly detail: string | null;
    } & SetAside)
  | {
      readonly kind: "denial";
      readonly url: string;
      readonly reason: DenialReason;
      readonly ruleIndex: number | null;
      readonly detail: string | null;
      /** The newest purchase of the page that is in doubt. Null: none is. */
      readonly doubt: {
        readonly purchaseId: number;
        readonly quotedMicros: Micros;
        readonly currency: Currency | null;
      } | null;
    };

export interface FetchLedger {
  /**
   * The stored version of each of these pages that has one. Reads a few rows for each page by their keys, and loads no reports: a
   * page that is held is answered at once.
   * @param query.urls canonical
   */
  findHeld(query: { readonly urls: readonly string[] }): Promise<readonly HeldPage[]>;
  /** Those of these pages that any run is buying now. */
  findUnderWay(query: { readonly urls: readonly string[] }): Promise<readonly PageUnderWay[]>;
  /** What a run did with these pages: the newest of its purchases of each, or its denial. A page that it did not decide is left out. */
  readFetched(query: { readonly runId: string; readonly urls: readonly string[] }): Promise<readonly FetchedPage[]>;
}
