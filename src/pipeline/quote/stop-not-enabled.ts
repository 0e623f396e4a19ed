import type { WorkerDeps } from "../stage-deps.ts";
import { stopSite } from "../stop-site.ts";

const HINT =
  "ask the gateway's operator to enable your account for this site, or remove the site from the configuration";

/**
 * Stops a site that the account is not enabled for, and reports this once.
 */
export async function stopNotEnabled(
  deps: Pick<WorkerDeps, "ledger" | "events" | "clock" | "siteHealth">,
  place: { readonly runId: string; readonly host: string },
): Promise<void> {
  const detail = `the account is not enabled for ${place.host}: ${HINT}`;
  await stopSite(deps, place, { stop: "not_enabled", detail });
}
