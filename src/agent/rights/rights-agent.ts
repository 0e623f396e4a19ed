/** `agent.rights`: a calendar of what ends. */
import type { EndedRights, EndingDocument } from "../../ledger/rights-calendar.ts";
import type { ExpiryAction } from "../../policy/rule.ts";
import { toExpiryPolicies } from "../../rights/rights.ts";
import { parseDuration } from "../../time/duration.ts";
import { isoDate } from "../../time/period.ts";
import { type Resources, withLedgerOrEmpty } from "../compose.ts";

const USUAL_TIME = "90d";
/** Pages that are named. The days count all. */
const MAX_NAMED = 100;

/** How far the calendar looks. */
export interface RightsOptions {
  /** A duration such as `90d`. @default "90d" */
  readonly within?: string | undefined;
}

/** Stored pages of a site whose rights end on a UTC day, and what happens then. */
export interface EndingOnDay {
  /** Such as `2026-11-23`. */
  readonly day: string;
  readonly host: string;
  readonly action: ExpiryAction;
  readonly pages: number;
}

/** `rights --json`: when the rights to stored pages end, under the policies of now. */
export interface RightsCalendar {
  /** Until when it looks, epoch ms. */
  readonly until: number;
  /** Every end before this instant is counted. It is before `until` where more end than one look counts: `licet status --expiring` counts all. */
  readonly countedUntil: number;
  /** By day, site and action, the first day first. */
  readonly days: readonly EndingOnDay[];
  /** The pages that end next. */
  readonly earliest: readonly EndingDocument[];
  /** What has ended already, by site and action. */
  readonly ended: readonly EndedRights[];
}

/** @throws LicetError LEDGER_* */
export async function rightsAgent(
  resources: Resources,
  { within = USUAL_TIME }: RightsOptions,
): Promise<RightsCalendar> {
  const { config, clock } = resources;
  return withLedgerOrEmpty(resources, "read", async (ledger) => {
    const now = clock.now();
    const until = now + parseDuration(within);
    const policies = toExpiryPolicies(config.policies.values(), config.sites);
    const { ending, countedUntil, ended } = await ledger.readEnding({ policies, now, until });
    return { until, countedUntil, days: toDays(ending), earliest: ending.slice(0, MAX_NAMED), ended };
  });
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
