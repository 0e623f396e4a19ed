import type { Ledger } from "../../ledger/ledger.ts";
import { type BuyingClock, createBuyingClock, describeBehind, isBehind } from "../../pipeline/decide/buying-clock.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import type { Resources } from "../compose.ts";

/**
 * Compares the clock with the newest rows of the ledger before a run begins, so that a run with a wrong clock leaves no row.
 * @param options.trusts a person says that the clock is right, and that it was ahead when those rows were written
 * @throws LicetError CLOCK_BEHIND
 */
export async function checkClock(
  { config, clock }: Pick<Resources, "config" | "clock">,
  ledger: Ledger,
  { trusts, events }: { readonly trusts: boolean; readonly events: Pick<StageEvents, "warned"> },
): Promise<BuyingClock> {
  const now = clock.now();
  const latestAt = trusts ? null : await ledger.readLatestInstant();
  const buyingClock = createBuyingClock(config.budgets, latestAt);
  buyingClock.check(now);
  if (latestAt !== null && isBehind(now, latestAt)) {
    events.warned(`${describeBehind(now, latestAt)}; the periods of all budgets are the same, so licet goes on`);
  }
  return buyingClock;
}

/** The same for a plan, which buys nothing. */
export async function warnOfClock(
  { clock }: Pick<Resources, "clock">,
  ledger: Ledger,
  events: Pick<StageEvents, "warned">,
): Promise<void> {
  const now = clock.now();
  const latestAt = await ledger.readLatestInstant();
  if (latestAt !== null && isBehind(now, latestAt)) {
    events.warned(`${describeBehind(now, latestAt)}: the plan counts in the budgets of the earlier time`);
  }
}
