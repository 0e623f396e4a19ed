/** The end of rights for `agent.status`. */
import { haveRightsEnded, toExpiryPolicies } from "../../rights/rights.ts";
import { parseDuration } from "../../time/duration.ts";
import type { Resources } from "../compose.ts";
import type { ExpiringReport } from "./rights-report.ts";

/** Pages that the report lists. The counts are of all. */
const MAX_LISTED = 1_000;

/** @param within a duration such as `30d` */
export async function readExpiring({ config, clock, ledger }: Resources, within: string): Promise<ExpiringReport> {
  const now = clock.now();
  const until = now + parseDuration(within);
  const opened = await ledger("read");
  const policies = toExpiryPolicies(config.policies.values(), config.sites);
  const { documents, counts } = await opened.readExpiring({ policies, now, until, limit: MAX_LISTED });
  return {
    until,
    total: counts.reduce((sum, { ended, ending }) => sum + ended + ending, 0),
    documents: documents.map((document) => ({
      ...document,
      hasEnded: haveRightsEnded({ at: document.endsAt, why: document.why }, now),
    })),
    counts,
    lost: await opened.readLost({ limit: MAX_LISTED }),
  };
}
