/** What the terms of a meeting ask of time, drawn for the worlds in which one machine has a wrong clock. */
import { createRandom } from "../random.ts";
import type { ScenarioBudget, ScenarioPolicy } from "../scenario.ts";

const SHARE = 0.4;
const AMPLE_MICROS = 1_000_000_000;

interface Times {
  /** Whether the machine with the wrong clock is in the world of the seed. */
  readonly takePart: boolean;
  /** A budget with a period does not go back into one that is over. */
  readonly hasPeriods: boolean;
  readonly relicenses: boolean;
}

export function drawTimes(seed: number): Times {
  const random = createRandom(seed, "times");
  return { takePart: random.chance(SHARE), hasPeriods: random.chance(0.4), relicenses: random.chance(0.4) };
}

/** More budgets, so ample that they refuse nothing. */
export function drawPeriods(seed: number): readonly ScenarioBudget[] {
  const { takePart, hasPeriods } = drawTimes(seed);
  const per = createRandom(seed, "periods").pick(["day", "month"] as const);
  return takePart && hasPeriods ? [{ scope: "all", per, limitMicros: AMPLE_MICROS, currency: "USD" }] : [];
}

/** What becomes of content whose rights have ended. */
export function drawExpiry(seed: number): NonNullable<ScenarioPolicy["onExpiry"]> {
  const { takePart, relicenses } = drawTimes(seed);
  return takePart && relicenses ? "relicense" : "purge";
}
