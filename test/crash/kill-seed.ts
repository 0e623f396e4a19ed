/**
 * How many kills, and which. Each call of the suite takes another seed, which its tests print: over some days every step is killed at
 * every moment. LICET_KILLS=1000 kills so many at random, and each named step at each moment on each queue; LICET_KILL_SEED=… kills the
 * same again.
 */
const MAX_SEED = 1_000_000;

export const KILL_SEED = Number(process.env.LICET_KILL_SEED ?? Date.now() % MAX_SEED);
/** Null in an ordinary call of the suite. */
export const KILLS_WANTED = process.env.LICET_KILLS === undefined ? null : Number(process.env.LICET_KILLS);

/** One of these, by the seed; all of them in the long loop. */
export function chooseOne<Choice>(choices: readonly Choice[]): readonly Choice[] {
  return KILLS_WANTED === null ? choices.filter((_, index) => index === KILL_SEED % choices.length) : choices;
}

/** Every second of these, by the seed; all of them in the long loop. */
export function chooseHalf<Choice>(choices: readonly Choice[]): readonly Choice[] {
  return KILLS_WANTED === null ? choices.filter((_, index) => index % 2 === KILL_SEED % 2) : choices;
}
