/** The sites that a run will have, before it has begun. */
import { chooseSites } from "../../agent/calls/call-settings.ts";
import type { Resources } from "../../agent/compose.ts";
import { readPlanSites } from "../../agent/plans/buy-plan.ts";
import type { StartRun } from "./run-manager.ts";

/** Of the newest run that can be resumed, only the ledger knows them: then none. @throws LicetError PLAN_REFUSED, USAGE_INVALID */
export async function hostsOf(
  { config, clock, ledger }: Resources,
  { hosts, options = {} }: StartRun,
): Promise<readonly string[]> {
  const { resume, plan } = options;
  if (resume === undefined) {
    const named = plan === undefined ? hosts : await readPlanSites(plan, { config, clock });
    return chooseSites(config, named).map(({ host }) => host);
  }
  return resume === "newest" ? [] : (await (await ledger("existing")).readRun(resume)).sites.map(({ host }) => host);
}
