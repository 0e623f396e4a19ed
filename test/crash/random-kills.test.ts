/**
 * `kill -9` at random moments, from outside and at random steps, in worlds drawn from a seed that is printed. LICET_KILLS=1000 does so
 * many; LICET_KILL_SEED=… draws the same worlds and the same kills again.
 */
import { expect, test } from "vitest";
import { findRedisProblem, startRedisServer } from "../doubles/redis-server.ts";
import { killAgainAndAgain } from "./kill-loop.ts";
import { KILL_SEED, KILLS_WANTED } from "./kill-seed.ts";

const KILLS = KILLS_WANTED ?? 12;
const MS_PER_KILL = 30_000;
const problem = findRedisProblem();

test(`${KILLS} kills at random moments lose nothing and buy nothing twice (LICET_KILL_SEED=${KILL_SEED}${problem === null ? "" : `, without Redis: ${problem}`})`, {
  timeout: KILLS * MS_PER_KILL,
}, async () => {
  const redis = problem === null ? await startRedisServer() : null;
  try {
    const queueUrls = redis === null ? ["embedded"] : ["embedded", redis.url];
    const lanes = KILLS_WANTED === null ? 1 : 2;
    expect(await killAgainAndAgain({ seed: KILL_SEED, kills: KILLS, queueUrls, lanes })).toBeGreaterThanOrEqual(KILLS);
  } finally {
    await redis?.stop();
  }
});
