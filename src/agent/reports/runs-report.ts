/** What `agent.runs` and `agent.runDetails` take and return. */

import type { Act } from "../../ledger/act-ledger.ts";
import type { DeniedPage, ListedRunKind, RunOverview, RunPurchase, RunStateFilter } from "../../ledger/run-reports.ts";
import type { Spend } from "../../ledger/spend.ts";
import type { KnownWait } from "../../ledger/wait-ledger.ts";
import type { Currency } from "../../money/money.ts";
import { PURCHASE_STATES, type PurchaseState } from "../../purchase/purchase.ts";

/** Which runs are listed. */
export interface RunFilter {
  /** The newest of them, at most so many. @default 20 */
  readonly limit?: number | undefined;
  /** Only this run: its id, or how the id begins. */
  readonly run?: string | undefined;
  /** Only runs of this site: its host. */
  readonly site?: string | undefined;
  /** Only runs in this state. `died`: their process ended without ending them. */
  readonly state?: RunStateFilter | undefined;
  /** Only runs of this kind: where their pages come from. */
  readonly kind?: ListedRunKind | undefined;
  /** Only runs that began on this UTC day or later: `2026-11-20`, `today` or `yesterday`. */
  readonly from?: string | undefined;
  /** Only runs that began on this UTC day or before. */
  readonly to?: string | undefined;
  /** `nextCursor` of the page before, with the same filters. @default from the newest run */
  readonly cursor?: string | undefined;
}

/** A run, and what it waits for at present. */
export interface ListedRun extends RunOverview {
  /** Oldest first. Empty: nothing, or its process is not alive. */
  readonly waits: readonly KnownWait[];
}

/** `runs --json`: the newest runs first. */
export interface RunList {
  readonly runs: readonly ListedRun[];
  /** How many runs match the filter, listed or not. */
  readonly total: number;
  /** Give it as `cursor` to read on. Null: there are no older ones. */
  readonly nextCursor: string | null;
}

/** The states by which the pages of a run can be listed. */
export const PURCHASE_STATE_FILTERS = [...PURCHASE_STATES, "denied"] as const;

/** Which purchases and denials of a run are listed. The sums by site cover the whole run in any case. */
export interface RunDetailsFilter {
  /** At most so many purchases, and at most so many denied pages. @default 100 */
  readonly limit?: number | undefined;
  /** Only pages of this site: its host. */
  readonly site?: string | undefined;
  /** Only purchases under this license: its type, or its cuid. Denied pages have none and are left out. */
  readonly license?: string | undefined;
  /** Only purchases in this state; `denied`: only denied pages. */
  readonly state?: (typeof PURCHASE_STATE_FILTERS)[number] | undefined;
}

/** A run's purchases on one site, added up. */
export interface SiteSpend {
  readonly host: string;
  /** How many purchases are in each state. */
  readonly purchases: Readonly<Record<PurchaseState, number>>;
  readonly spend: Readonly<Record<Currency, Spend>>;
}

/** `runs RUN --json`: what a run bought, and what it did not buy. */
export interface RunDetails {
  readonly run: ListedRun;
  /** In the order of their decisions. */
  readonly purchases: readonly RunPurchase[];
  /** How many purchases match the filter, listed or not. */
  readonly purchasesTotal: number;
  readonly sites: readonly SiteSpend[];
  /**
   * The money of the run that no purchase has: uses that are charged on their report (`reporting.billed`). Together with `sites` it adds
   * up to `run.spend`.
   */
  readonly usesSpend: Readonly<Record<Currency, Spend>>;
  /** How many pages the run denied, by reason, on all sites. */
  readonly denials: Readonly<Record<string, number>>;
  readonly denied: readonly DeniedPage[];
  /** How many denied pages match the filter, listed or not. Old denials may have been deleted; `denials` still counts them. */
  readonly deniedTotal: number;
  /** Who stopped or cancelled it, the newest first. */
  readonly acts: readonly Act[];
}
