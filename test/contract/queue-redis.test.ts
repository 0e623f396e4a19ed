import { Queue as BullQueue } from "bullmq";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { openQueue } from "../../src/queue/bullmq-queue.ts";
import { queueName, REDIS_KEY_PREFIX } from "../../src/queue/queue-names.ts";
import { REDIS_RIGHTS } from "../../src/queue/redis-problem.ts";
import { addRedisUser, findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { createGate, createRecorder, describeQueueContract, inEveryStage, untilDepth } from "./queue-contract.ts";

const problem = findRedisProblem();
const EMPTY = { walk: 0, quote: 0, acquire: 0, report: 0 };
const ONE_EACH = { walk: 1, quote: 1, acquire: 1, report: 1 };

/** A server for one test, stopped however the test ends. */
async function startOwnServer(settings: readonly string[] = []): Promise<RedisServer> {
  const server = await startRedisServer(settings);
  onTestFinished(() => server.stop());
  return server;
}

describe.skipIf(problem !== null)(`Redis${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
  let server: RedisServer;
  let url: string;
  beforeAll(async () => {
    server = await startRedisServer();
    url = await addRedisUser(server, REDIS_RIGHTS);
  });
  afterAll(async () => {
    await server?.stop();
  });
  const options = (prefix: string) => ({ url, prefix });

  describeQueueContract("Redis, as a user with the rights that the documents name", {
    kind: "redis",
    isShared: true,
    options: () => options("contract"),
  });

  it("drops garbage with a report and continues with the next job", async () => {
    const queue = await openQueue({ ...options("garbage"), owner: "me" });
    const stranger = new BullQueue(queueName("garbage", "me", "walk"), {
      connection: { path: server.url.slice("redis+unix://".length) },
      prefix: REDIS_KEY_PREFIX,
    });
    await stranger.addBulk([
      { name: "walk", data: null },
      { name: "walk", data: { leaseId: 7 } },
      { name: "x", data: { leaseId: "" } },
      { name: "walk", data: { leaseId: "x".repeat(201) } },
      { name: "anything", data: { leaseId: "good", more: true } },
    ]);
    const errors: unknown[] = [];
    const recorder = createRecorder();
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: (error, job) => errors.push([String(error), job]),
    });
    await recorder.untilSeen(1);
    await untilDepth(queue, EMPTY);
    await workers.close();
    expect(recorder.seen).toEqual([{ stage: "walk", leaseId: "good" }]);
    expect(errors).toEqual(Array(4).fill(["LicetError: a job in the walk queue contains no lease id: dropped", null]));
    await stranger.close();
    await queue.close();
  });

  it("writes nothing but lease ids: no error message, no URL of a page", async () => {
    const queue = await openQueue({ ...options("secrets"), owner: "me" });
    const recorder = createRecorder(async () => {
      throw new Error("https://news.example/secret-page failed with key sk-1");
    });
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: () => {},
    });
    await queue.add([{ stage: "quote", leaseId: "l1" }]);
    await untilDepth(queue, EMPTY);
    await workers.close();
    const job = await server.call("HGETALL", `${REDIS_KEY_PREFIX}:${queueName("secrets", "me", "quote")}:lease-l1`);
    expect(JSON.stringify(job)).toContain('{\\"leaseId\\":\\"l1\\"}');
    expect(JSON.stringify(job)).not.toMatch(/secret-page|sk-1/);
    await queue.close();
  });

  it("keeps as many finished jobs as its limit", async () => {
    const queue = await openQueue({ ...options("retention"), owner: "me", retention: { ageMs: 60_000, count: 3 } });
    const recorder = createRecorder();
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: () => {},
    });
    await queue.add(["a", "b", "c", "d", "e"].map((leaseId) => ({ stage: "walk" as const, leaseId })));
    await untilDepth(queue, EMPTY);
    await workers.close();
    const kept = await server.call("ZCARD", `${REDIS_KEY_PREFIX}:${queueName("retention", "me", "walk")}:completed`);
    expect(kept).toBe(3);
    await queue.close();
  });

  it("continues after FLUSHALL in the middle of a job", async () => {
    const queue = await openQueue(options("flushed"));
    const started = createGate();
    const gate = createGate();
    const errors: unknown[] = [];
    const recorder = createRecorder(async (job) => {
      if (job.leaseId === "flushed") {
        started.open();
        await gate.opened;
        return "drop";
      }
      return "done";
    });
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: (error) => errors.push(error),
    });
    await queue.add([{ stage: "acquire", leaseId: "flushed" }]);
    await started.opened;
    await server.flush();
    gate.open();
    await queue.add([{ stage: "acquire", leaseId: "after" }]);
    await recorder.untilSeen(2);
    await untilDepth(queue, EMPTY);
    await workers.close();
    expect(recorder.seen.map((job) => job.leaseId)).toEqual(["flushed", "after"]);
    expect(errors).toEqual([]);
    await queue.close();
  });
});

describe.skipIf(problem !== null)("a Redis that stops", () => {
  it("fails to add in bounded time, reports it once, and continues when the server is back empty", async () => {
    const server = await startOwnServer();
    const warnings: string[] = [];
    const lost = createGate();
    const back = createGate();
    const queue = await openQueue({
      url: server.url,
      onWarning: (warning) => {
        warnings.push(warning);
        (/is back/.test(warning) ? back : lost).open();
      },
    });
    const recorder = createRecorder();
    const errors: unknown[] = [];
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: (error) => errors.push(error),
    });
    await queue.add([{ stage: "walk", leaseId: "before" }]);
    await recorder.untilSeen(1);
    await server.kill();
    await lost.opened;
    await expect(queue.add([{ stage: "walk", leaseId: "meanwhile" }])).rejects.toMatchObject({
      code: "QUEUE_UNREACHABLE",
    });
    await expect(queue.depth()).rejects.toMatchObject({ code: "QUEUE_UNREACHABLE" });
    await server.start();
    await back.opened;
    await queue.add([{ stage: "walk", leaseId: "after" }]);
    await recorder.untilSeen(2);
    await workers.close();
    expect(recorder.seen.at(-1)).toEqual({ stage: "walk", leaseId: "after" });
    expect(warnings).toHaveLength(2);
    expect(errors).toEqual([]);
    await queue.close();
  });

  it("closes although the server never comes back, after the active job", async () => {
    const server = await startOwnServer();
    const lost = createGate();
    const queue = await openQueue({ url: server.url, onWarning: () => lost.open() });
    const started = createGate();
    const gate = createGate();
    const recorder = createRecorder(async () => {
      started.open();
      await gate.opened;
      return "done";
    });
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: () => {},
    });
    await queue.add([{ stage: "acquire", leaseId: "a" }]);
    await started.opened;
    await server.stop();
    await lost.opened;
    const closing = workers.close();
    gate.open();
    await closing;
    await queue.close();
    expect(recorder.seen).toHaveLength(1);
  });
});

describe.skipIf(problem !== null)("the health of Redis", () => {
  const healthOf = async (settings: string[]) => {
    const server = await startOwnServer(settings);
    const queue = await openQueue({ url: server.url });
    const health = await queue.checkHealth();
    await queue.close();
    return health.warnings;
  };

  it("reports nothing for noeviction", async () => {
    expect(await healthOf(["--maxmemory-policy", "noeviction"])).toEqual([]);
  });

  it("warns about a policy that evicts, also when the server hides CONFIG", async () => {
    const warning = [expect.stringContaining("maxmemory-policy is allkeys-lru")];
    expect(await healthOf(["--maxmemory-policy", "allkeys-lru"])).toEqual(warning);
    expect(await healthOf(["--maxmemory-policy", "allkeys-lru", "--rename-command", "CONFIG", ""])).toEqual(warning);
  });

  it("is unreachable when the server allows licet to read nothing", async () => {
    const server = await startOwnServer();
    await server.call("ACL", "SETUSER", "default", "-config", "-info");
    const url = server.url;
    await expect(openQueue({ url })).rejects.toMatchObject({ code: "QUEUE_UNREACHABLE" });
  });

  it("refuses a wrong password without repeating it", async () => {
    const server = await startOwnServer(["--requirepass", "right"]);
    const url = server.url.replace("redis+unix://", "redis+unix://:wr0ng@localhost");
    const error = await openQueue({ url }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "QUEUE_UNREACHABLE", hint: expect.stringContaining("password") });
    expect(JSON.stringify(error)).not.toContain("wr0ng");
  });

  it("is unreachable when nothing listens", async () => {
    const attempt = openQueue({ url: "redis://u:pw@127.0.0.1:1/0" });
    await expect(attempt).rejects.toMatchObject({
      code: "QUEUE_UNREACHABLE",
      message: expect.not.stringContaining("pw@"),
    });
  });
});
