/** Servers of Redis that cannot be used, as far as one server shows it (queue-redis-groups.test.ts has the others). */
import { createServer } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Cluster, Redis } from "ioredis";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openQueue } from "../../src/queue/bullmq-queue.ts";
import { openScheduleQueue } from "../../src/queue/bullmq-schedule-queue.ts";
import { parseQueueUrl } from "../../src/queue/queue-url.ts";
import { createRedis, cutRedis } from "../../src/queue/redis-client.ts";
import { REDIS_RIGHTS } from "../../src/queue/redis-problem.ts";
import { PATIENCE } from "../doubles/patience.ts";
import { addRedisUser, findRedisProblem, type RedisServer, startRedisServer } from "../doubles/redis-server.ts";

const problem = findRedisProblem();

async function startOwnServer(settings: readonly string[] = []): Promise<RedisServer> {
  const server = await startRedisServer(settings);
  onTestFinished(() => server.stop());
  return server;
}

describe.skipIf(problem !== null)(`a Redis${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
  it.each(["-info", "-evalsha", "-@write"])(
    "whose user lacks a right (%s) is named, with the rights",
    async (missing) => {
      const url = await addRedisUser(await startOwnServer(), `${REDIS_RIGHTS} ${missing}`);
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

  it("whose memory has become full is told of by the workers as well", async () => {
    const server = await startOwnServer();
    const queue = await openQueue({ url: server.url });
    await queue.add([{ stage: "walk", leaseId: "a" }]);
    await server.call("CONFIG", "SET", "maxmemory", "1");
    const errors: unknown[] = [];
    const done = async () => "done" as const;
    await queue.startWorkers(
      { walk: done, quote: done, acquire: done, report: done },
      { concurrency: { walk: 1, quote: 1, acquire: 1, report: 1 }, onError: (error) => errors.push(error) },
    );
    await vi.waitFor(() => expect(errors).not.toEqual([]), PATIENCE);
    await queue.close();
    for (const error of errors) {
      expect(error).toMatchObject({
        code: "QUEUE_UNREACHABLE",
        message: expect.stringContaining("its memory is full"),
      });
    }
  });

  it("that evicts is told when the queue of schedules is opened", async () => {
    const { url } = await startOwnServer(["--maxmemory-policy", "allkeys-lru"]);
    const warnings: string[] = [];
    const queue = await openScheduleQueue({ url, onDue: async () => {}, onWarning: (text) => warnings.push(text) });
    await queue.close();
    expect(warnings).toEqual([expect.stringContaining("maxmemory-policy is allkeys-lru")]);
  });
});

/** Answers as a server does that says this of itself, as far as licet asks. */
async function listenAs(info: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      for (const command of data
        .toString()
        .toLowerCase()
        .match(/\r\n(ping|info|client|quit|hello)\r\n/g) ?? []) {
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
  return `redis://127.0.0.1:${(server.address() as { port: number }).port}`;
}

it("a Redis that is too old is named, with its version and the oldest that will do", async () => {
  const url = await listenAs("redis_version:5.0.14\r\nredis_mode:standalone\r\nrole:master\r\n");
  await expect(openQueue({ url })).rejects.toMatchObject({
    message: expect.stringContaining("is too old"),
    hint: expect.stringContaining("It is Redis 5.0.14. licet needs Redis 6.0.6 or later, or Valkey"),
  });
});

it("a Cluster whose nodes are all away ends when it is cut between two attempts to connect", async () => {
  const client = createRedis({ mode: "cluster", nodes: [{ host: "127.0.0.1", port: 1 }], tls: false }, "working");
  const ended = new Promise((resolve) => client.once("end", resolve));
  await expect(client.connect()).rejects.toThrow();
  expect(client.status).toBe("reconnecting");
  client.disconnect();
  await ended;
});

it.each([
  ["rediss", "localhost", "localhost"],
  ["rediss", "127.0.0.1", false],
  // Its name is resolved first, and the address is connected.
  ["rediss-cluster", "localhost", "localhost"],
])("%s://%s names the host when TLS begins: %j", async (scheme, host, expected) => {
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
  const address = parseQueueUrl(`${scheme}://${host}:${port}`);
  const client = createRedis((address as Extract<typeof address, { kind: "redis" }>).redis, "adding");
  await client.connect().catch(() => {});
  cutRedis(client);
  expect(names[0]).toBe(expected);
});

it("a node of a Cluster with TLS is asked for by the name that the Cluster tells", () => {
  const address = { mode: "cluster", nodes: [{ host: "any.example", port: 6379 }], tls: true } as const;
  const { natMap } = (createRedis(address, "adding") as Cluster).options as { natMap: (node: string) => unknown };
  const [host, port] = ["one.example", 7000];
  expect(natMap(`${host}:${port}`)).toEqual({ host, port, tls: { servername: host } });
  expect(natMap("::1:7000")).toEqual({ host: "::1", port, tls: {} });
});

it.each([
  ["one server", "redis://HOST:PORT"],
  ["a node of a Cluster", "redis-cluster://HOST:PORT"],
])(
  "a connection to %s that owes an answer and says nothing is broken, so that another may be asked",
  async (_what, url) => {
    const server = createServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as { port: number };
    const address = parseQueueUrl(url.replace("HOST", "127.0.0.1").replace("PORT", String(port)));
    const client = createRedis((address as Extract<typeof address, { kind: "redis" }>).redis, "working");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
      cutRedis(client);
      server.close();
    });
    const asked = new Promise<void>((resolve) => {
      server.on("connection", (socket) => socket.once("data", () => resolve()));
    });
    const broken = new Promise<Error>((resolve) => {
      client.on("error", resolve);
      client.on("node error", resolve);
    });
    void client.connect().catch(() => {});
    await asked;
    await vi.advanceTimersByTimeAsync(15_000);
    await broken;
  },
);

it("a master that has become a replica is connected anew, where the address stays and nobody cuts connections", () => {
  for (const url of ["redis://h", "redis-sentinel://h/m"]) {
    const address = parseQueueUrl(url);
    const client = createRedis((address as Extract<typeof address, { kind: "redis" }>).redis, "working") as Redis;
    const { reconnectOnError } = client.options;
    expect(reconnectOnError?.(new Error("READONLY You can't write against a read only replica."))).toBe(true);
    expect(reconnectOnError?.(new Error("ERR x"))).toBe(false);
  }
});
