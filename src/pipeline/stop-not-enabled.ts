import type { StageDeps } from "./stage-deps.ts";

const HINT =
  "ask the gateway's operator to enable your account for this site, or remove the site from the configuration";

/** Stops a site that the account is not enabled for, and says so once (gateway-notes § Answers that differ between deployments). */
export async function stopNotEnabled(
  { ledger, events, clock }: Pick<StageDeps, "ledger" | "events" | "clock">,
  { runId, host }: { readonly runId: string; readonly host: string },
): Promise<void> {
  const detail = `the account is not enabled for ${host}`;
  await ledger.stopSite({ runId, host, stop: "not_enabled", detail, now: clock.now() });
  events.siteStopped({ host, stop: "not_enabled", detail: `${detail}: ${HINT}` });
}
