import type { SiteStop } from "./run-ledger.ts";

/** A site that gets no request any more in a run. */
interface StoppedSite {
  readonly host: string;
  readonly stop: SiteStop;
  /** In words. */
  readonly detail: string;
}

/** The sites of runs that are stopped, each in its run. What stops a site in every run is an open item or a pause. */
export interface StopLedger {
  /** Stops one site of a run: releases its reservations and deletes its batches. The first reason stays unless the new one is stronger. */
  stopSite(stop: {
    readonly runId: string;
    readonly host: string;
    readonly stop: SiteStop;
    readonly detail: string;
    readonly now: number;
  }): Promise<void>;
  /** The sites of a run that get no request any more, in the order of the run; none for an unknown run. */
  readStops(runId: string): Promise<readonly StoppedSite[]>;
}
