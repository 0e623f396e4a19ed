/**
 * BullMQ's own published test cases, as far as they can be run against the embedded queue: written anew, and run on Redis too, so that a
 * case that misunderstands BullMQ fails there. Its repository has them in `tests/*.test.ts` (and in `*.redis.test.ts` what only Redis has).
 *
 * Not here: flows, deduplication, rate limits and metrics, which the embedded queue refuses by name (`refusals-cases.ts`); sandboxed
 * processors, telemetry, cancellation, the lock manager and backoff strategies, which no backend decides; connections, clusters, scripts,
 * relays and the clients of Redis; legacy repeatable jobs and the markers of older versions, since there is never an older store; cases
 * that only look at Redis' keys.
 */
import { afterAll, beforeAll, describe } from "vitest";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { type BullmqBackend, inProcessBackend, redisBackend } from "./bullmq/bullmq-world.ts";
import { describeEvents } from "./bullmq/events-cases.ts";
import { describeGetters } from "./bullmq/getters-cases.ts";
import { describeJobs } from "./bullmq/jobs-cases.ts";
import { describeRefusals } from "./bullmq/refusals-cases.ts";
import { describeSchedulers } from "./bullmq/schedulers-cases.ts";
import { describeUpkeep } from "./bullmq/upkeep-cases.ts";
import { describeWorking } from "./bullmq/working-cases.ts";

const problem = findRedisProblem();

function describeAll(backend: () => BullmqBackend): void {
  describeJobs(backend);
  describeGetters(backend);
  describeWorking(backend);
  describeUpkeep(backend);
  describeEvents(backend);
  describeSchedulers(backend);
}

describe("BullMQ's cases on the embedded queue", () => {
  describeAll(inProcessBackend);
  describeRefusals(inProcessBackend);
});

describe.skipIf(problem !== null)(`BullMQ's cases on Redis${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(async () => {
    await server?.stop();
  });
  describeAll(() => redisBackend(() => server.url));
});
