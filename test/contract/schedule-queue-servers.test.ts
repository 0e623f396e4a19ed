import { Queue as BullQueue } from "bullmq";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openScheduleQueue } from "../../src/queue/bullmq-schedule-queue.ts";
import { REDIS_KEY_PREFIX, schedulesName } from "../../src/queue/queue-names.ts";
import { REDIS_RIGHTS } from "../../src/queue/redis-problem.ts";
import { addRedisUser, findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { describeScheduleQueueContract, newPrefix, OFTEN, openWatched, RARELY } from "./schedule-queue-contract.ts";

describeScheduleQueueContract("the memory of the process", { url: () => "embedded", isShared: false });

const noRedis = findRedisProblem();
describe.skipIf(noRedis !== null)(`Redis${noRedis === null ? "" : ` (skipped: ${noRedis})`}`, () => {
  let server: RedisServer;
  let url: string;
  beforeAll(async () => {
    server = await startRedisServer();
    url = await addRedisUser(server, REDIS_RIGHTS);
  });
  afterAll(async () => {
    await server?.stop();
  });

  describeScheduleQueueContract("Redis", { url: () => url, isShared: true });

  it("writes the name of the schedule and nothing else, and no queue of a run is touched", async () => {
    const prefix = newPrefix();
    const { queue } = await openWatched({ url: server.url, prefix });
    await queue.setSchedules([{ name: "site:news.example", timing: RARELY }]);
    const key = `${REDIS_KEY_PREFIX}:${schedulesName(prefix)}:repeat:site%3Anews.example`;
    expect(await server.call("HGET", key, "data")).toBe('{"schedule":"site:news.example"}');
  });

  it("drops a job that is not licet's, and says so", async () => {
    const prefix = newPrefix();
    const { queue, woken, untilWarned, untilWoken } = await openWatched({ url: server.url, prefix });
    const stranger = new BullQueue(schedulesName(prefix), {
      connection: { path: server.url.slice("redis+unix://".length) },
      prefix: REDIS_KEY_PREFIX,
    });
    await stranger.add("x", { schedule: "" });
    await untilWarned(/does not name a schedule/);
    await queue.setSchedules([{ name: "a", timing: OFTEN }]);
    await untilWoken("a");
    expect(woken).not.toContain("");
    await stranger.close();
  });

  it("has lost its schedulers after FLUSHALL, and wakes again when they are set", async () => {
    const { queue, untilWoken } = await openWatched({ url: server.url, prefix: newPrefix() });
    const schedules = [{ name: "a", timing: OFTEN }];
    await queue.setSchedules(schedules);
    await untilWoken("a");
    await server.flush();
    expect(await queue.countSchedules()).toBe(0);
    await queue.setSchedules(schedules);
    await untilWoken("a");
  });

  it("says that the server is away and back, and wakes again when the schedules are set", async () => {
    const own = await startRedisServer();
    const { queue, warnings, untilWoken, untilWarned } = await openWatched({ url: own.url });
    const schedules = [{ name: "a", timing: OFTEN }];
    await queue.setSchedules(schedules);
    await own.kill();
    await untilWarned(/lost the queue/);
    await expect(queue.setSchedules(schedules)).rejects.toMatchObject({ code: "QUEUE_UNREACHABLE" });
    await own.start();
    await untilWarned(/is back/);
    await queue.setSchedules(schedules);
    await untilWoken("a");
    expect(warnings).toHaveLength(2);
    await queue.close();
    await own.stop();
  });

  it("cannot be opened when nothing listens", async () => {
    const url = "redis://127.0.0.1:1/0";
    await expect(openScheduleQueue({ url, onDue: async () => {}, onWarning: () => {} })).rejects.toMatchObject({
      code: "QUEUE_UNREACHABLE",
    });
  });
});
