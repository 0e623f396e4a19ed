/** The behavior of a world's users: what they do after a death, and how often they change the configuration. */
import type { RunCall } from "../../src/agent/calls/buying-calls.ts";
import { toMicros } from "../../src/money/micros.ts";
import { createRandom, type Random } from "./random.ts";
import type { Limits } from "./simulate.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export interface UserBehavior {
  readonly random: Random;
  /** What follows the death of a run: the run is resumed, or the next run is a plain one. */
  readonly afterDeath: "resume" | "plain";
  /** How often the configuration is edited between two rounds, and at an occasion during one. */
  readonly editsBetween: number;
  readonly editsDuring: number;
  /** How often a run that is resumed is given limits. */
  readonly limitsResumed: number;
  /** How often a user cancels a dead run between two rounds. */
  readonly cancels: number;
  /** One more run, when the faults are over and before the gateway is fixed; null: there is none. */
  readonly trial: Trial | null;
  /** The next run comes at once, in the same hour, or days later. */
  readonly pauses: readonly number[];
}

/** What is unusual about a run; the next run must find what it left out. */
export interface Trial {
  readonly call: RunCall;
  /** When it comes. */
  readonly waitsMs: number;
  /** What the clock is ahead by. */
  readonly aheadMs: number;
  /** When the next run comes. */
  readonly pauseMs: number;
}

export function drawUserBehavior(seed: number, limits: Limits): UserBehavior {
  // The label is older than the name: another label would change every seed.
  const random = createRandom(seed, "habits");
  const edits = random.chance(0.5);
  const behavior: UserBehavior = {
    random,
    afterDeath: random.chance(0.35) ? "plain" : "resume",
    editsBetween: edits ? 0.7 : 0,
    editsDuring: edits && random.chance(0.4) ? 0.02 : 0,
    limitsResumed: random.chance(0.5) ? 0.6 : 0,
    cancels: random.chance(0.2) ? 0.5 : 0,
    trial: drawTrial(createRandom(seed, "trial")),
    pauses: [0, 5 * MINUTE_MS, 40 * MINUTE_MS, DAY_MS / 2, DAY_MS, 3 * DAY_MS, 7 * DAY_MS],
  };
  return limits.userChanges
    ? behavior
    : { ...behavior, afterDeath: "resume", editsBetween: 0, editsDuring: 0, limitsResumed: 0, cancels: 0, trial: null };
}

function drawTrial(random: Random): Trial | null {
  if (!random.chance(0.5)) {
    return null;
  }
  const aheadMs = random.chance(0.3) ? random.pick([40, 400]) * DAY_MS : 0;
  // So much that it limits nothing but the currency.
  const maxSpend = { micros: toMicros(1_000_000_000), currency: random.pick(["USD", "USD", "EUR"]) };
  return {
    call: { fresh: true, ...(random.chance(0.7) ? { maxSpend } : {}) },
    aheadMs,
    // A full walk is due by then.
    waitsMs: random.chance(0.5) ? 8 * DAY_MS : 0,
    pauseMs: aheadMs > 0 ? 9 * DAY_MS : random.pick([0, 0, 2 * DAY_MS]),
  };
}

/** Whether a user cancels a dead run between two rounds. */
export function drawsCancel({ random, cancels }: UserBehavior): boolean {
  return random.chance(cancels);
}

/** How a run is begun that is not resumed. */
export function drawBeginning({ random }: UserBehavior): RunCall {
  return { ...(random.chance(0.15) ? { fresh: true } : {}), ...(random.chance(0.3) ? { skipIfRunning: true } : {}) };
}

/** What a person may say to a run that is resumed: also less than it has bought already, and nothing at all. */
export function drawResumedLimits({ random, limitsResumed }: UserBehavior): RunCall {
  if (!random.chance(limitsResumed)) {
    return {};
  }
  return {
    ...(random.chance(0.6) ? { maxPages: random.int(0, 8) } : {}),
    ...(random.chance(0.6)
      ? { maxSpend: { micros: toMicros(random.pick([0, 1, 20_000, 100_000])), currency: random.pick(["USD", "EUR"]) } }
      : {}),
  };
}
