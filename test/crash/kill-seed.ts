/**
 * How many kills, and which. Each call of the suite takes another seed, which its tests print: over some days every step is killed at
 * every moment. LICET_KILLS=1000 kills so many at random, and each named step at each moment on each queue; LICET_KILL_SEED=… kills the
 * same again.
 */
const MAX_SEED = 1_000_000;

export const KILL_SEED = Number(process.env.LICET_KILL_SEED ?? Date.now() % MAX_SEED);
/** Null in an ordinary call of the suite. */
export const KILLS_WANTED = process.env.LICET_KILLS === undefined ? null : Number(process.env.LICET_KILLS);
