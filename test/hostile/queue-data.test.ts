/** A Redis that others write to: jobs that are none, under the queue's own keys. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLicetError } from "../../src/errors.ts";
import { openQueue } from "../../src/queue/bullmq-queue.ts";
import { STAGES } from "../../src/queue/queue.ts";
import { queueName, REDIS_KEY_PREFIX } from "../../src/queue/queue-names.ts";
import { createRecorder, inEveryStage } from "../contract/queue-contract.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { createHostileWorld, pageUrls } from "./hostile-world.ts";

const problem = findRedisProblem();
const ONE_EACH = { walk: 1, quote: 1, acquire: 1, report: 1 };
/** Hash fields of a BullMQ job; each may have any value. */
const JOBS: readonly (readonly [name: string, fields: readonly string[] | null])[] = [
  ["nothing behind it", null],
  ["data that is not JSON", ["name", "walk", "data", "{not json", "opts", "{}", "timestamp", "1"]],
  ["data that is a text", ["name", "walk", "data", '"text"', "opts", "{}", "timestamp", "1"]],
  [
    "data of a prototype",
    ["name", "walk", "data", '{"__proto__": {"leaseId": "stolen"}}', "opts", "{}", "timestamp", "1"],
  ],
  ["options that are not JSON", ["name", "walk", "data", "{}", "opts", "]", "timestamp", "1"]],
  ["a time that is none", ["name", "walk", "data", "{}", "opts", "{}", "timestamp", "soon"]],
  ["no fields that are known", ["x", "y"]],
  [
    "half a character and escapes",
    ["name", "\u001b[2J", "data", '{"leaseId": "\\ud800\\u001b"}', "opts", "{}", "timestamp", "1"],
  ],
];

describe.skipIf(problem !== null)(`Redis${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedisServer();
  });
  afterAll(() => server?.stop());

  test.each(JOBS)("a job with %s is dropped or reported, and the next one is done", async (name, fields) => {
    const prefix = name.replace(/\W/g, "");
    const queue = await openQueue({ url: server.url, prefix, owner: "me" });
    const key = `${REDIS_KEY_PREFIX}:${queueName(prefix, "me", "walk")}`;
    if (fields !== null) {
      await server.call("HSET", `${key}:planted`, ...fields);
    }
    await server.call("LPUSH", `${key}:wait`, "planted");
    const errors: unknown[] = [];
    const recorder = createRecorder();
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: (error) => errors.push(error),
    });
    await queue.add([{ stage: "walk", leaseId: "good" }]);
    const isGood = () => recorder.seen.some(({ leaseId }) => leaseId === "good");
    for (let seen = 1; !isGood(); seen++) {
      await recorder.untilSeen(seen);
    }
    await workers.close();
    expect(recorder.seen.filter(({ leaseId }) => leaseId === "stolen")).toEqual([]);
    // Reported once or a few times, not again and again, and never as something that ends a run.
    expect(errors.length).toBeLessThan(5);
    expect(errors.filter((error) => !isLicetError(error, "INPUT_INVALID"))).toEqual([]);
    await queue.close();
  });

  test("a run that gets them all ends with every page bought", async () => {
    const queue = await openQueue({ url: server.url, prefix: "run", owner: "me" });
    const pages = pageUrls(20);
    const world = await createHostileWorld({ pages, queue });
    try {
      const planting = STAGES.flatMap((stage) =>
        JOBS.map(async ([, fields], index) => {
          const key = `${REDIS_KEY_PREFIX}:${queueName("run", "me", stage)}`;
          if (fields !== null) {
            await server.call("HSET", `${key}:planted${index}`, ...fields);
          }
          await world.gateway.whenAsked(stage === "walk" ? "catalog" : "rates", 1);
          await server.call("LPUSH", `${key}:wait`, `planted${index}`);
        }),
      );
      expect(await world.run()).toMatchObject({ state: "completed", pages: { bought: pages.length } });
      await Promise.all(planting);
      expect(world.gateway.charges).toHaveLength(pages.length);
      expect(await world.audit()).toEqual([]);
    } finally {
      await world.close();
      await queue.close();
    }
  });
});
