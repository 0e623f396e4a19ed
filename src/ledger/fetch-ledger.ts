/**
 * What a fetch reads: the stored version of a page, who is buying it, and what came of its purchase. And what it writes at once, because somebody
 * waits for it and each commit is a wait for the disk.
 */
import type { SetAside } from "../budget/set-aside.ts";
import type { Micros } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { DenialReason } from "../policy/verdict.ts";
import type { PurchaseState } from "../purchase/purchase.ts";
import type { RunState } from "../run/run-state.ts";
import type { Lease, LeaseRequest } from "./lease-ledger.ts";
import type { StoredDocument } from "./ledger-reports.ts";
import type { LinesRecord, LinesRecorded } from "./list-ledger.ts";
import type { Settled, Settlement } from "./purchase-ledger.ts";
import type { BeginRun, Begun } from "./run-ledger.ts";

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

/** The run of a fetch, with all that there is to do in it. */
export interface FetchBeginning {
  /** Its list is that of a fetch. */
  readonly begin: BeginRun;
  /** All pages of the run. */
  readonly lines: Omit<LinesRecord, "runId" | "process" | "now">;
  readonly lease: Omit<LeaseRequest, "runId" | "process" | "now">;
}

export interface FetchBegun {
  readonly begun: Begun;
  readonly recorded: LinesRecorded;
  /** Of its first batches. */
  readonly leases: readonly Lease[];
}

/** An acquire batch of a fetch that is done, and what follows. */
export interface FetchBatchEnd {
  readonly leaseId: string;
  /** How its run ends when this was the last batch of it. Null: whoever works on the run ends it later. */
  readonly end: { readonly state: Exclude<RunState, "running">; readonly reason: string | null } | null;
  /** Of its run and its process: asked while the run has not ended. */
  readonly lease: LeaseRequest & { readonly process: string };
}

export interface FetchBatchEnded {
  /** False when the lease is stale, or when purchases of the batch are still open. */
  readonly isFinished: boolean;
  /** Whether the run is over, and nothing of its frontier is left. */
  readonly isEnded: boolean;
  readonly leases: readonly Lease[];
}

export interface FetchLedger {
  /**
   * `beginRun`, `recordLines` and `leaseBatches` in one transaction: a fetch that has begun knows all its pages. Idempotent like each of them.
   */
  beginFetch(fetch: FetchBeginning): Promise<FetchBegun>;
  /** `finishAcquireBatch`, and then `endRun` if no batch is left, or `leaseBatches`, in one transaction. Idempotent like each of them. */
  endFetchBatch(ended: FetchBatchEnd): Promise<FetchBatchEnded>;
  /** `settlePurchase` for the last open purchase of a batch, and `endFetchBatch`, in one transaction. Idempotent like each of them. */
  settleLast(
    settlement: Settlement & { readonly last: FetchBatchEnd },
  ): Promise<{ readonly settled: Settled; readonly last: FetchBatchEnded }>;
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
