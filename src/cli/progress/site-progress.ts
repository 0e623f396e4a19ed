/** What is known of the pages of one site of a run. */
import type { Micros } from "../../money/micros.ts";
import type { Currency } from "../../money/money.ts";
import { isLimited, type RunState } from "../../run/run-state.ts";

export interface SiteProgress {
  /** Pages that are worth a quote, without those that a limit left. */
  candidates: number;
  /** As `done` of the run. */
  done: number;
  /** Pages that were to be bought, and those of them that are bought, failed or in doubt. */
  approved: number;
  ended: number;
  /** Since this process began. */
  bought: number;
  readonly spent: Map<Currency, Micros>;
  /** No more pages come: the walk has ended, or the site is stopped. */
  isWalked: boolean;
  isStopped: boolean;
}

export function createSiteProgress(): SiteProgress {
  const counts = { candidates: 0, done: 0, approved: 0, ended: 0, bought: 0 };
  return { ...counts, spent: new Map(), isWalked: false, isStopped: false };
}

/** Pages that are being bought. */
export function openPages({ approved, ended }: SiteProgress): number {
  return Math.max(0, approved - ended);
}

export function hasWork(site: SiteProgress): boolean {
  const { isWalked, isStopped, candidates, done } = site;
  return isStopped ? openPages(site) > 0 : !isWalked || done < candidates;
}

/** Nothing more is decided. A limit lets what is under way be bought. */
export function stopSite(site: SiteProgress, stop: string): void {
  site.isWalked = true;
  site.isStopped = true;
  site.approved = isLimited(stop as RunState) ? site.approved : site.ended;
  site.candidates = Math.min(site.candidates, site.done + openPages(site));
}
