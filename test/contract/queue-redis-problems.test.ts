/** Servers of Redis that cannot be used, and a user with no more rights than licet needs. */
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openQueue } from "../../src/queue/bullmq-queue.ts";
import { openScheduleQueue } from "../../src/queue/bullmq-schedule-queue.ts";
import { createRedis, cutRedis } from "../../src/queue/redis-client.ts";
import { REDIS_RIGHTS } from "../../src/queue/redis-problem.ts";
import { findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";
import { createRecorder, inEveryStage, untilDepth } from "./queue-contract.ts";

const problem = findRedisProblem();
const EMPTY = { walk: 0, quote: 0, acquire: 0, report: 0 };
const ONE_EACH = { walk: 1, quote: 1, acquire: 1, report: 1 };

async function startOwnServer(settings: readonly string[] = []): Promise<RedisServer> {
  const server = await startRedisServer(settings);
  onTestFinished(() => server.stop());
  return server;
}

/** The queue's address for a user that has these rights and no others. */
async function addUser(server: RedisServer, rights: string): Promise<string> {
  await server.call("ACL", "SETUSER", "licet", "on", ">pw", ...rights.split(" "));
  return server.url.replace("redis+unix://", "redis+unix://licet:pw@localhost");
}

describe.skipIf(problem !== null)(`a Redis${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
  it("that is a node of a Cluster is named, in the queue of runs and of schedules", async () => {
    const { url } = await startOwnServer(["--cluster-enabled", "yes"]);
    const named = { code: "QUEUE_UNREACHABLE", message: expect.stringContaining("is a node of a Redis Cluster") };
    await expect(openQueue({ url })).rejects.toMatchObject(named);
    await expect(openScheduleQueue({ url, onDue: async () => {}, onWarning: () => {} })).rejects.toMatchObject(named);
  });

  it("that is a replica is named", async () => {
    const { url } = await startOwnServer(["--replicaof", "127.0.0.1", "1", "--replica-serve-stale-data", "yes"]);
    await expect(openQueue({ url })).rejects.toMatchObject({ message: expect.stringContaining("is a replica") });
  });

  it.each(["-info", "-evalsha", "-@write"])(
    "whose user lacks a right (%s) is named, with the rights",
    async (missing) => {
      const url = await addUser(await startOwnServer(), `-@all ${REDIS_RIGHTS} ${missing}`);
      const printed = vi.spyOn(console, "warn");
      onTestFinished(() => printed.mockRestore());
      const opening = openQueue({ url }).then(async (queue) => {
        await queue.add([{ stage: "walk", leaseId: "a" }]).finally(() => queue.close());
      });
      await expect(opening).rejects.toMatchObject({
        message: expect.stringContaining("gives its user too few rights"),
        hint: expect.stringContaining(REDIS_RIGHTS),
      });
    },
  );

  it("works for a user with the rights that the documents name", async () => {
    const url = await addUser(await startOwnServer(), `-@all ${REDIS_RIGHTS}`);
    const queue = await openQueue({ url });
    const recorder = createRecorder();
    const errors: unknown[] = [];
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: (error) => errors.push(error),
    });
    await queue.add([{ stage: "acquire", leaseId: "a" }]);
    await recorder.untilSeen(1);
    await untilDepth(queue, EMPTY);
    await queue.clear();
    await workers.close();
    expect((await queue.checkHealth()).warnings).toEqual([]);
    await queue.close();
    let woken = 0;
    const onDue = async () => {
      woken += 1;
    };
    const schedules = await openScheduleQueue({ url, onDue, onWarning: (warning) => errors.push(warning) });
    await schedules.setSchedules([{ name: "a", timing: { kind: "every", everyMs: 200 } }]);
    await vi.waitFor(() => expect(woken).toBeGreaterThan(0), { timeout: 10_000 });
    await schedules.close();
    expect(errors).toEqual([]);
  });

  it("that evicts is told when the queue of schedules is opened", async () => {
    const { url } = await startOwnServer(["--maxmemory-policy", "allkeys-lru"]);
    const warnings: string[] = [];
    const queue = await openScheduleQueue({ url, onDue: async () => {}, onWarning: (text) => warnings.push(text) });
    await queue.close();
    expect(warnings).toEqual([expect.stringContaining("maxmemory-policy is allkeys-lru")]);
  });
});

/** Answers as a Sentinel does, as far as licet asks. */
it("a Sentinel is named", async () => {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      for (const command of data
        .toString()
        .toLowerCase()
        .match(/\r\n(ping|info|client|quit|hello)\r\n/g) ?? []) {
        const info = "redis_mode:sentinel\r\nsentinel_masters:1\r\n";
        socket.write(
          command.includes("info")
            ? `$${info.length}\r\n${info}\r\n`
            : command.includes("ping")
              ? "+PONG\r\n"
              : "+OK\r\n",
        );
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  await expect(openQueue({ url: `redis://127.0.0.1:${port}` })).rejects.toMatchObject({
    message: expect.stringContaining("is a Redis Sentinel"),
  });
});

it.each([
  ["localhost", "localhost"],
  ["127.0.0.1", false],
])("rediss://%s names the host when TLS begins: %j", async (host, expected) => {
  const names: unknown[] = [];
  const server = createTlsServer({
    SNICallback: (name, done) => {
      names.push(name);
      done(new Error("no certificate"));
    },
  });
  server.on("tlsClientError", () => names.push(false));
  await new Promise<void>((done) => server.listen(0, host, done));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const client = createRedis({ host, port, tls: true }, "adding");
  await client.connect().catch(() => {});
  cutRedis(client);
  expect(names[0]).toBe(expected);
});
