/** `agent.rights`: a calendar of what ends. */
import type { EndingDocument } from "../../ledger/rights-calendar.ts";
import { toExpiryPolicies } from "../../rights/rights.ts";
import { parseDuration } from "../../time/duration.ts";
import { isoDate } from "../../time/period.ts";
import { openLedgerOrEmpty, type Resources } from "../compose.ts";
import type { EndingOnDay, RightsCalendar, RightsOptions } from "./rights-calendar.ts";

const USUAL_TIME = "90d";
/** Pages that are named. The days count all. */
const MAX_NAMED = 100;

/** @throws LicetError LEDGER_* */
export async function rightsAgent(
  resources: Resources,
  { within = USUAL_TIME }: RightsOptions,
): Promise<RightsCalendar> {
  const { config, clock } = resources;
  const { ledger, release } = await openLedgerOrEmpty(resources, "read");
  try {
    const now = clock.now();
    const until = now + parseDuration(within);
    const policies = toExpiryPolicies(config.policies.values(), config.sites);
    const { ending, countedUntil, ended } = await ledger.readEnding({ policies, now, until });
    return { until, countedUntil, days: toDays(ending), earliest: ending.slice(0, MAX_NAMED), ended };
  } finally {
    await release();
  }
}

function toDays(ending: readonly EndingDocument[]): readonly EndingOnDay[] {
  const days = new Map<string, EndingOnDay>();
  for (const { endsAt, host, action } of ending) {
    const day = isoDate(endsAt);
    const key = `${day} ${host} ${action}`;
    days.set(key, { day, host, action, pages: (days.get(key)?.pages ?? 0) + 1 });
  }
  return [...days.values()];
}
