import type { ActedBy } from "../act/act.ts";

/** A site of which a person lets nothing be bought. */
export interface SitePause {
  readonly host: string;
  /** Since when, epoch ms. */
  readonly at: number;
  /** Who paused it. Null: a program that did not say. */
  readonly by: string | null;
  readonly reason: string | null;
}

interface PauseWord {
  readonly host: string;
  readonly who?: ActedBy;
  readonly now: number;
}

/** The pauses of sites: nothing is bought from a paused site, by any run. */
export interface PauseLedger {
  /**
   * Pauses a site. Every unfinished run stops it: what it had reserved is released, and what was sent is waited for. Until the pause ends, each decision
   * about a page of the site denies it. @returns false for a site that is paused already
   */
  pauseSite(pause: PauseWord): Promise<boolean>;
  /** Ends a pause. A run that had stopped the site leaves it so: the next run buys from it. @returns false for a site that is not paused */
  unpauseSite(pause: PauseWord): Promise<boolean>;
  /** The sites that are paused, by their hosts. */
  readPauses(): Promise<readonly SitePause[]>;
}
