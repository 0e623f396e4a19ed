/** A worker asks Redis for a job and waits there. What comes when it takes no more jobs of the stage is given back. */
import { expect, onTestFinished, test, vi } from "vitest";
import { openQueue } from "../../../src/queue/bullmq-queue.ts";
import { STAGES } from "../../../src/queue/queue.ts";
import { queueName, REDIS_KEY_PREFIX } from "../../../src/queue/queue-names.ts";
import { createRecorder, inEveryStage } from "../../contract/queue-contract.ts";
import { PATIENCE } from "../../doubles/patience.ts";
import { findRedisProblem, startRedisServer } from "../../doubles/redis-server.ts";

const ONE_EACH = { walk: 1, quote: 1, acquire: 1, report: 1 };

test.skipIf(findRedisProblem() !== null)(
  "a worker that takes no more jobs of a stage gives back the one that it had asked for before",
  async () => {
    const server = await startRedisServer();
    onTestFinished(() => server.stop());
    const queue = await openQueue({ url: server.url, prefix: "untaken", owner: "me" });
    onTestFinished(() => queue.close());
    const { seen, process } = createRecorder();
    const errors: unknown[] = [];
    const workers = await queue.startWorkers(inEveryStage(process), {
      concurrency: ONE_EACH,
      onError: (error) => errors.push(error),
    });
    const waitingAtRedis = async () => String(await server.call("CLIENT", "LIST")).match(/cmd=bzpopmin/g)?.length ?? 0;
    await vi.waitUntil(async () => (await waitingAtRedis()) === STAGES.length, PATIENCE);
    workers.takeOnly(["walk"]);
    await queue.add([{ stage: "quote", leaseId: "q" }]);
    const delayed = `${REDIS_KEY_PREFIX}:${queueName("untaken", "me", "quote")}:delayed`;
    await vi.waitUntil(async () => seen.length > 0 || (await server.call("ZCARD", delayed)) === 1, PATIENCE);
    expect(seen).toEqual([]);
    workers.takeOnly(STAGES);
    await vi.waitUntil(() => seen.length === 1, PATIENCE);
    await workers.close();
    expect([seen, errors]).toEqual([[{ stage: "quote", leaseId: "q" }], []]);
  },
);
