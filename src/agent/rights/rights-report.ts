/** What `agent.status({ expiring })` and `agent.purge` return. */

import type { Cleaning, ExpiringCount, ExpiringDocument, LostPage, PurgedVersion } from "../../ledger/rights-ledger.ts";
import type { ActingOptions } from "../acts/acted-by.ts";

/** The end of the rights to stored pages. In `status --json --expiring 30d`: `rights`. */
export interface ExpiringReport {
  /** Until when the report looks, epoch ms. */
  readonly until: number;
  /** How many pages there are, listed or not. */
  readonly total: number;
  /** The earliest ends. */
  readonly documents: readonly (ExpiringDocument & { readonly hasEnded: boolean })[];
  /** By site and by what happens. */
  readonly counts: readonly ExpiringCount[];
  /** Stored pages that their catalog does not have any more, and those that the gateway does not sell any more. */
  readonly lost: { readonly gone: number; readonly notLicensable: number; readonly pages: readonly LostPage[] };
}

/** How `agent.purge` works. */
export interface PurgeOptions extends ActingOptions {
  /** Only these sites. @default all sites of the ledger */
  readonly hosts?: readonly string[] | undefined;
  /** Takes out these pages, every version, whatever their rights, and nothing else. */
  readonly urls?: readonly string[] | undefined;
  /** Why the content goes: kept with the evidence. Required with `urls`. */
  readonly reason?: string | undefined;
  /** Reports what would be removed and removes nothing. @default false */
  readonly dryRun?: boolean | undefined;
  /** The clock is right, although it differs from the gateway's or is far ahead of the ledger. @throws LicetError CLOCK_UNSURE @default false */
  readonly trustClock?: boolean | undefined;
}

/** `purge --json`. */
export interface PurgeReport {
  readonly dryRun: boolean;
  /** Versions of pages whose texts were removed. A page may have several. */
  readonly versions: number;
  readonly bySite: Readonly<Record<string, number>>;
  /** The first of them. */
  readonly examples: readonly PurgedVersion[];
  /** Named URLs of which nothing is stored. */
  readonly unknown: readonly string[];
  /** Whether removed text can still be read in the file. Null for a dry run. */
  readonly cleaning: Cleaning | null;
}
