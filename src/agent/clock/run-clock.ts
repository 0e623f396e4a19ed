/** The clock of a run: judged before the run begins, and again with each answer of the gateway. */
import type { Ledger } from "../../ledger/ledger.ts";
import { type BuyingClock, createBuyingClock } from "../../pipeline/decide/buying-clock.ts";
import type { StageEvents } from "../../pipeline/stage-deps.ts";
import { describeBehind, describeJudgement, isBehind, isDoubtful, judgeClock } from "../../time/clock-judgement.ts";
import type { Resources } from "../compose.ts";
import { askGatewayDate } from "./ask-clock.ts";

interface RunClockOptions {
  /** A person says that the clock is right: the word becomes a row. */
  readonly trusts: boolean;
  readonly events: Pick<StageEvents, "warned">;
}

/**
 * Compares the clock with the newest rows of the ledger before a run begins, so that a run with a wrong clock leaves no row. The gateway's
 * `Date` is asked for only where pages may be bought again because time passed; else its answers tell it.
 * @throws LicetError CLOCK_BEHIND
 */
export async function checkClock(
  resources: Resources,
  ledger: Ledger,
  { trusts, events }: RunClockOptions,
): Promise<BuyingClock> {
  const { config, clock } = resources;
  if (trusts) {
    const gatewayAt = await askGatewayDate(resources);
    await ledger.recordClockWord({ now: clock.now(), gatewayAt });
    return createBuyingClock(config.budgets, null);
  }
  const latestAt = await ledger.readLatestInstant();
  const isSure = await watchAges(resources, ledger, events);
  const buyingClock = createBuyingClock(config.budgets, latestAt, isSure);
  const now = clock.now();
  buyingClock.check(now);
  if (latestAt !== null && isBehind(now, latestAt)) {
    events.warned(`${describeBehind(now, latestAt)}; the periods of all budgets are the same, so licet goes on`);
  }
  return buyingClock;
}

/** Whether a run could begin by this clock, without asking the gateway. @throws LicetError CLOCK_BEHIND */
export async function checkNotBehind(
  { config, clock }: Pick<Resources, "config" | "clock">,
  ledger: Ledger,
): Promise<void> {
  createBuyingClock(config.budgets, await ledger.readLatestInstant()).check(clock.now());
}

/** The same for a plan, which buys nothing: a clock that is behind is a warning. What a run would not believe, a plan does not believe either. */
export async function watchPlanClock(
  resources: Resources,
  ledger: Ledger,
  events: Pick<StageEvents, "warned">,
): Promise<BuyingClock> {
  const latestAt = await ledger.readLatestInstant();
  const now = resources.clock.now();
  if (latestAt !== null && isBehind(now, latestAt)) {
    events.warned(`${describeBehind(now, latestAt)}: the plan counts in the budgets of the earlier time`);
  }
  const isSure = await watchAges(resources, ledger, events);
  return { isSure, check: (at) => void isSure(at) };
}

/** Whether any configured terms buy a page again only because time passed. */
function buysByAge({ config }: Pick<Resources, "config">): boolean {
  return (
    config.sites.some(({ refresh }) => refresh.maxAgeMs !== null) ||
    [...config.policies.values()].some(({ onExpiry }) => onExpiry === "relicense")
  );
}

/** @returns a judge of the ages that this clock shows. It warns once of each kind of difference */
async function watchAges(
  resources: Resources,
  ledger: Ledger,
  { warned }: Pick<StageEvents, "warned">,
): Promise<BuyingClock["isSure"]> {
  if (buysByAge(resources)) {
    await askGatewayDate(resources);
  }
  const gateway = await resources.gateway();
  const evidence = await ledger.readClockEvidence();
  const reported = new Set<string>();
  return (now) => {
    const judgement = judgeClock({ now, gatewayAt: gateway.dateAt(), ...evidence });
    // Before the first answer the rows alone are known: what they leave open is said when it matters.
    const isWorthSaying = judgement.kind !== "agrees" && (judgement.kind !== "ahead" || buysByAge(resources));
    if (isWorthSaying && !reported.has(judgement.kind)) {
      reported.add(judgement.kind);
      warned(`${describeJudgement(now, judgement)}${isDoubtful(judgement) ? CONSEQUENCE : ""}`);
    }
    return !isDoubtful(judgement);
  };
}

const CONSEQUENCE =
  ": no page is bought again because of its age or because its rights ended. Set the clock right; if it is right: licet run --trust-clock";
