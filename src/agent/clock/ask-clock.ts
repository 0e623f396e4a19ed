/** Whether the clock of this machine can be right, asked where something is done that a wrong clock would do wrongly, and for ever. */
import { assertLicetError, LicetError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import {
  type ClockDoubt,
  type ClockJudgement,
  describeJudgement,
  isDoubtful,
  judgeClock,
  toInstant,
} from "../../time/clock-judgement.ts";
import type { Resources } from "../compose.ts";

export interface AskedClock {
  /** The instant that was judged. One that was taken before the gateway was asked may be of another clock. */
  readonly now: number;
  /** What the gateway's `Date` says, epoch ms. Null: it is not known. */
  readonly gatewayAt: number | null;
  readonly judgement: ClockJudgement;
}

/** Asks the gateway for its `Date`, and compares. Never throws for what the gateway answers. */
export async function askClock(resources: Resources, ledger: Ledger): Promise<AskedClock> {
  const gatewayAt = await askGatewayDate(resources);
  const evidence = await ledger.readClockEvidence();
  const now = resources.clock.now();
  return { now, gatewayAt, judgement: judgeClock({ now, gatewayAt, ...evidence }) };
}

export async function askGatewayDate({ config, gateway }: Resources): Promise<number | null> {
  const [site] = config.sites;
  if (site === undefined) {
    return null;
  }
  try {
    return await (await gateway()).askDate(`https://${site.host}/`);
  } catch (error) {
    // What reads the ledger alone was loaded without the secrets of the gateway: it cannot be asked, as if it were away.
    assertLicetError(error, "ENV_MISSING");
    return null;
  }
}

export interface GuardedAct {
  /** What is not done, as a sentence without a subject: `nothing is purged`. */
  readonly refusal: string;
  /** The command without and with a person's word. */
  readonly command: string;
  /** A person says that the clock is right. */
  readonly trusts: boolean;
}

/**
 * Before what cannot be undone: goes on by a clock that agrees, or by a person's word, which becomes a row.
 * @returns the instant that was judged: act by it, because the clock may be set while the gateway is asked, or after
 * @throws LicetError CLOCK_UNSURE
 */
export async function requireClock(resources: Resources, ledger: Ledger, act: GuardedAct): Promise<number> {
  const { now, gatewayAt, judgement } = await askClock(resources, ledger);
  if (act.trusts) {
    await ledger.recordClockWord({ now, gatewayAt });
  } else if (isDoubtful(judgement)) {
    throw clockUnsure(now, judgement, act);
  }
  return now;
}

export function clockUnsure(
  now: number,
  judgement: ClockDoubt,
  { refusal, command }: Pick<GuardedAct, "refusal" | "command">,
): LicetError {
  const why =
    judgement.kind === "ahead"
      ? `${describeJudgement(now, judgement)}, and the gateway's Date is not known`
      : describeJudgement(now, judgement);
  return new LicetError("CLOCK_UNSURE", `${why}: ${refusal}`, {
    hint: `Set the clock right, then: ${command}. If the clock is right: ${command} --trust-clock`,
    details: { now: toInstant(now), other: toInstant(judgement.other), comparedWith: judgement.from },
  });
}
