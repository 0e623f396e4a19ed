/** The queues in a Redis Cluster and behind Sentinels, as a user who has the rights that the documents name and no others. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openQueue } from "../../src/queue/bullmq-queue.ts";
import { openScheduleQueue } from "../../src/queue/bullmq-schedule-queue.ts";
import { CLUSTER_RIGHTS, REDIS_RIGHTS, SENTINEL_RIGHTS } from "../../src/queue/redis-problem.ts";
import { openSharedQueues } from "../../src/queue/shared-queue.ts";
import { type RedisGroup, startRedisCluster, startRedisWithSentinel } from "../doubles/redis-groups.ts";
import { findRedisProblem } from "../doubles/redis-server.ts";
import { createRecorder, describeQueueContract, inEveryStage, untilDepth } from "./queue-contract.ts";
import { describeScheduleQueueContract } from "./schedule-queue-contract.ts";

const problem = findRedisProblem();
const PASSWORD = "p@ss";
const EMPTY = { walk: 0, quote: 0, acquire: 0, report: 0 };

const MODES = [
  {
    name: "a Redis Cluster",
    start: () => startRedisCluster(),
    rights: `${REDIS_RIGHTS} ${CLUSTER_RIGHTS}`,
    server: /^Redis \d+\.\d+\.\d+, a Cluster$/,
  },
  {
    name: "a Redis behind a Sentinel",
    start: () => startRedisWithSentinel(),
    rights: REDIS_RIGHTS,
    server: /^Redis \d+\.\d+\.\d+, found by Sentinels$/,
  },
];

describe.skipIf(problem !== null).each(MODES)(
  `$name${problem === null ? "" : ` (skipped: ${problem})`}`,
  ({ name, start, rights, server }) => {
    let group: RedisGroup;
    let url: string;
    beforeAll(async () => {
      group = await start();
      const user = ["ACL", "SETUSER", "licet", "on", `>${PASSWORD}`] as const;
      await group.callEach(...user, ...rights.split(" "));
      const login = `licet:${encodeURIComponent(PASSWORD)}`;
      url = group.url.replace("://", `://${login}@`);
      if (url.startsWith("redis-sentinel:")) {
        await group.callSentinel(...user, ...SENTINEL_RIGHTS.split(" "));
        await group.callSentinel("ACL", "SETUSER", "default", "off");
        url += `?sentinelUsername=licet&sentinelPassword=${encodeURIComponent(PASSWORD)}`;
      }
    });
    afterAll(async () => {
      await group?.stop();
    });

    describeQueueContract(name, { kind: "redis", isShared: true, options: () => ({ url, prefix: "contract" }) });
    describeScheduleQueueContract(name, { url: () => url, isShared: true });

    it("says what the server is, and finds nothing wrong with it", async () => {
      const queue = await openQueue({ url, prefix: "health" });
      const health = await queue.checkHealth();
      await queue.close();
      expect(health).toEqual({ kind: "redis", server: expect.stringMatching(server), warnings: [] });
    });

    it("is shared with a worker on another machine", async () => {
      const queue = await openQueue({ url, prefix: "shared", owner: "service" });
      const shared = await openSharedQueues({ url, onWarning: () => {} });
      const place = { prefix: "shared", owner: "service" };
      expect([await shared.has(place), await shared.has({ ...place, owner: "nobody" })]).toEqual([true, false]);
      const recorder = createRecorder();
      await shared.startWorkers(place, inEveryStage(recorder.process), {
        concurrency: { walk: 1, quote: 1, acquire: 1, report: 1 },
        onError: () => {},
      });
      await queue.add([{ stage: "quote", leaseId: "far" }]);
      await untilDepth(queue, EMPTY);
      await shared.close();
      await queue.close();
      expect(recorder.seen).toEqual([{ stage: "quote", leaseId: "far" }]);
    });

    it("may do all that was asked of it", async () => {
      expect(await group.callEach("ACL", "LOG")).toEqual((await group.callEach("PING")).map(() => []));
    });

    if (name.includes("Cluster")) {
      it("is named where it is taken for one server, with the URL to write", async () => {
        const one = group.url.replace("redis-cluster:", "redis:").split(",")[0] ?? "";
        const named = {
          message: expect.stringContaining("is a node of a Redis Cluster"),
          hint: expect.stringContaining(`Write queue.url as ${one.replace("redis:", "redis-cluster:")},`),
        };
        await expect(openQueue({ url: one })).rejects.toMatchObject(named);
        const events = { onDue: async () => {}, onWarning: () => {} };
        await expect(openScheduleQueue({ url: one, ...events })).rejects.toMatchObject(named);
      });
    }
  },
);

describe.skipIf(problem !== null)("a queue.url that names", () => {
  let group: RedisGroup;
  let host: string;
  beforeAll(async () => {
    group = await startRedisWithSentinel();
    host = new URL(group.url).hostname;
    await group.callEach("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
  });
  afterAll(async () => {
    await group?.stop();
  });

  it.each([
    ["a Sentinel as a Redis", "redis://HOST:26379", "is a Redis Sentinel", "as redis-sentinel://HOST:26379/mymaster,"],
    [
      "a Redis as a Sentinel",
      "redis-sentinel://HOST:7000/mymaster",
      "names a Redis as a Sentinel",
      "redis://host:port",
    ],
    ["a Redis as a Cluster", "redis-cluster://HOST:7000", "is not a Redis Cluster", "redis://host:port"],
    ["a replica", "redis://HOST:7001", "is a replica", "redis-sentinel://"],
    [
      "no master of its Sentinels",
      "redis-sentinel://HOST:26379/other",
      "know no master of this name",
      "SENTINEL MASTERS",
    ],
    [
      "a user whom the master does not know",
      "redis-sentinel://x:y@HOST:26379/mymaster",
      "refuses the user",
      "queue.url",
    ],
    [
      "a user whom the Sentinel does not know",
      "redis-sentinel://HOST:26379/mymaster?sentinelUsername=x&sentinelPassword=s3cret",
      "does not let this user ask",
      "+sentinel|get-master-addr-by-name",
    ],
    [
      "hosts where nobody is",
      "redis-sentinel://HOST:1,HOST:2/mymaster",
      "no Sentinel names a master",
      "check queue.url",
    ],
    ["nodes where nobody is", "redis-cluster://HOST:1,HOST:2", "no node of the Cluster answers", "check queue.url"],
  ])("%s is told so", async (_what, template, what, hint) => {
    const here = (text: string) => text.replaceAll("HOST", host);
    const opening = openQueue({ url: here(template) });
    await expect(opening).rejects.toMatchObject({
      code: "QUEUE_UNREACHABLE",
      message: expect.stringContaining(what),
      hint: expect.stringContaining(here(hint)),
    });
    const error = await opening.catch((thrown: unknown) => thrown);
    expect(JSON.stringify([error, String(error)])).not.toMatch(/s3cret|x:y@/);
  });

  it("a master that evicts is told so", async () => {
    const queue = await openQueue({ url: group.url });
    expect((await queue.checkHealth()).warnings).toEqual([expect.stringContaining("is allkeys-lru")]);
    await queue.close();
  });
});
