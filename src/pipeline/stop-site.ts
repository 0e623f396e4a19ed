/**
 * Stops a site for this run because of the answers to its pages, and emits one event: what happened, to which site, and what to
 * do.
 */
import type { SiteStop } from "../ledger/run-ledger.ts";
import type { WorkerDeps } from "./stage-deps.ts";

export async function stopSite(
  { ledger, events, clock, siteHealth }: Pick<WorkerDeps, "ledger" | "events" | "clock" | "siteHealth">,
  { runId, host }: { readonly runId: string; readonly host: string },
  { stop, detail }: { readonly stop: SiteStop; readonly detail: string },
): Promise<void> {
  await ledger.stopSite({ runId, host, stop, detail, now: clock.now() });
  siteHealth.claimStop(host);
  events.siteStopped({ host, stop, detail });
}
