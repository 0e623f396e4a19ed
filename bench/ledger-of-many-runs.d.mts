import type { Ledger } from "../src/ledger/ledger.ts";

/** What `fillManyRuns` writes. */
export interface ManyRuns {
  readonly pages: number;
  readonly runs: number;
  readonly days: number;
  /** The instant of the last run, epoch ms. */
  readonly until: number;
}

export function hostOf(site: number): string;

/** @param open opens a ledger, which makes its tables */
export function fillManyRuns(
  open: (options: { readonly path: string }) => Promise<Pick<Ledger, "close">>,
  path: string,
  size: ManyRuns,
): Promise<void>;
