import type { Decided } from "../../ledger/frontier-ledger.ts";
import type { WorkerDeps } from "../stage-deps.ts";

/** Tells what became of a site's pages, which budgets they used up, and whether that stopped the site. */
export function reportDecided(
  { events }: Pick<WorkerDeps, "events">,
  { host, approved, denied, spent = [], exhausted }: Omit<Decided, "stale"> & { readonly host: string },
): void {
  events.decided({ host, approved, denied });
  for (const { currency, detail } of spent) {
    events.warned(`${host}: the ${detail} is used up; no more pages priced in ${currency} are bought`);
  }
  if (exhausted !== null) {
    events.siteStopped({ host, ...exhausted });
  }
}
