/** `licet worker` as a person or a unit starts it: what it says of whatever keeps it from working, and how it ends. */
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { createWorkerWorld, WORKER_TOKEN } from "../component/worker/worker-world.ts";
import { closedPort } from "../crash/closed-port.ts";
import { type CliHere, cliHere, startCliHere } from "../doubles/cli-here.ts";
import { createDirectory } from "../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../doubles/cli-world.ts";
import { PATIENCE } from "../doubles/patience.ts";
import { findRedisProblem, startRedisServer } from "../doubles/redis-server.ts";
import { createServiceWorld } from "../doubles/service-world.ts";
import { read } from "../tidy/repository.ts";

const NOBODY = `http://127.0.0.1:${await closedPort()}`;
const ENV = { LICET_API_KEY: "sandbox-key", LICET_WORKER_TOKEN: WORKER_TOKEN, LICET_SERVE_URL: NOBODY };
const problem = findRedisProblem();

async function createPlace(env: Readonly<Record<string, string>> = ENV) {
  const directory = await createDirectory();
  onTestFinished(() => directory.remove());
  return { cwd: directory.path, env };
}

async function work(args: readonly string[], env?: Readonly<Record<string, string>>) {
  return cliHere(["worker", ...args], await createPlace(env));
}

test("a queue that no worker can reach is refused, with what to do", async () => {
  const { code, stderr, stdout } = await work(["--queue", "embedded", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "QUEUE_NOT_SHARED" } });
  expect(stderr).not.toContain(WORKER_TOKEN);
  const other = await work(["--queue", "amqp://user:secret@queue.example"]);
  expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining("--queue has the unknown scheme amqp://") });
  expect(other.stderr).not.toContain("secret");
});

test("a worker says what it lacks", async () => {
  expect(await work([])).toMatchObject({ code: 2, stderr: expect.stringContaining("LICET_QUEUE_URL is not set") });
  expect(await work([], { ...ENV, LICET_SERVE_URL: "" })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("LICET_SERVE_URL is not set"),
  });
  const queue = ["--queue", "redis://127.0.0.1:9"];
  const noKey = await work(queue, { ...ENV, LICET_API_KEY: "" });
  expect(noKey).toMatchObject({ code: 2, stderr: expect.stringContaining("LICET_API_KEY is not set") });
  const noFile = await work([...queue, "--token-file", "missing"]);
  expect(noFile).toMatchObject({ code: 2, stderr: expect.stringContaining("the token file cannot be read: missing") });
  const place = await createPlace();
  await writeFile(join(place.cwd, "empty"), "\n");
  const empty = await cliHere(["worker", ...queue, "--token-file", "empty"], place);
  expect(empty).toMatchObject({ code: 2, stderr: expect.stringContaining("the token file is empty: empty") });
  const places = await work([...queue, "--concurrency", "0"]);
  expect(places).toMatchObject({ code: 2, stderr: expect.stringContaining("A worker needs one at least") });
  const name = await work([...queue, "--name", "a name"]);
  expect(name).toMatchObject({ code: 2, stderr: expect.stringContaining("without spaces") });
});

test("a secret that no request can carry is refused, and not waited for", async () => {
  const queue = ["--queue", "redis://127.0.0.1:9"];
  const token = await work(queue, { ...ENV, LICET_WORKER_TOKEN: "sixteen\ncharacters" });
  expect(token).toMatchObject({ code: 2, stderr: expect.stringContaining("the token of the worker must be visible") });
  const key = await work(queue, { ...ENV, LICET_API_KEY: "k\u20ACy" });
  expect(key).toMatchObject({ code: 2, stderr: expect.stringContaining("the key of the gateway must be visible") });
  expect(token.stderr + key.stderr).not.toMatch(/sixteen|k\u20ACy/);
});

test("a port that fetch refuses is refused, and not waited for", async () => {
  const args = ["--queue", "redis://127.0.0.1:9", "--serve", "http://127.0.0.1:6667"];
  const { code, stderr } = await work(args);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("--serve names the port 6667") });
});

test("a Redis that is away is waited for, until the worker is stopped", async () => {
  const worker = startCliHere(["worker", "--queue", "redis://127.0.0.1:9"], await createPlace());
  await worker.whenSaid(
    /the queue at redis:\/\/127\.0\.0\.1:9 cannot be reached: .*Start the server or check --queue\. The worker waits for it/,
  );
  worker.interrupt("SIGTERM");
  expect(await worker.end).toMatchObject({ code: 0, stderr: expect.stringContaining("the worker has ended") });
});

describe.skipIf(problem !== null)("a worker with a Redis", () => {
  async function startQueue(): Promise<string> {
    const redis = await startRedisServer();
    onTestFinished(() => redis.stop());
    return redis.url;
  }

  test("waits for a service that is away, and ends with what a service refuses", async () => {
    const queue = await startQueue();
    const waiting = startCliHere(["worker", "--queue", queue], await createPlace());
    await waiting.whenSaid(
      /the service at http:\/\/127\.0\.0\.1:\d+ cannot be reached: nobody listens there.*Check --serve.*The worker waits for it/,
    );
    waiting.interrupt("SIGTERM");
    expect((await waiting.end).code).toBe(0);

    const { service, close } = await createServiceWorld({
      sandbox: { sites: [newsSite(1)] },
      config: {
        sites: [{ host: "news.example", policy: "standard" }],
        serve: {
          port: 0,
          tokens: [
            { name: "operator", token: "acting-token", can: "act" },
            { name: "fleet", token: WORKER_TOKEN, can: "work" },
          ],
        },
      },
    });
    onTestFinished(close);
    const refusedWith = async (serve: string, token: string) => {
      const end = await work(["--queue", queue, "--serve", serve, "--json"], { ...ENV, LICET_WORKER_TOKEN: token });
      expect(end.code).toBe(1);
      return JSON.parse(end.stdout).error;
    };
    const hint = expect.stringContaining("--token-file");
    expect(await refusedWith(service.url, "wrong")).toMatchObject({ code: "TOKEN_REQUIRED", hint });
    expect(await refusedWith(service.url, "acting-token")).toMatchObject({ code: "TOKEN_OTHER_RIGHT", hint });
    expect(await refusedWith(service.url, WORKER_TOKEN)).toMatchObject({
      code: "QUEUE_NOT_SHARED",
      message: "the queue of this service is embedded: no other machine reaches it",
    });
    const other = await startOtherVersion();
    expect(await refusedWith(other, WORKER_TOKEN)).toMatchObject({
      code: "WORKER_VERSION",
      message: "the worker is licet 2.0.0, and the service is licet 1.0.0",
    });
  });

  test("as compose.yaml starts it finishes what it has started at SIGTERM, and ends at once at the second", async () => {
    const world = await createWorkerWorld({
      sandbox: { sites: [newsSite(80)], rates: ONE_PRICE, latencyMs: 40 },
      config: {
        gateway: { concurrency: 6, quoteBatchSize: 10 },
        budgets: [{ scope: "all", per: "total", limit: "100 USD" }],
        sites: [{ host: "news.example", policy: "standard" }],
      },
    });
    const place = await createPlace({});
    await writeFile(
      join(place.cwd, "licet-worker.env"),
      `LICET_API_KEY=sandbox-key\nLICET_WORKER_TOKEN=${WORKER_TOKEN}\n`,
    );
    const { services } = parse(read("config/deploy/compose.yaml")) as {
      services: { worker: { command: string[]; deploy: { replicas: number } } };
    };
    const { command, deploy } = services.worker;
    const args = command.map((word) =>
      word
        .replace("http://licet:8403", world.service.url)
        .replace("redis://redis:6379", world.redis.url)
        .replace("/run/secrets/", ""),
    );
    const workers = Array.from({ length: deploy.replicas }, (_, index) =>
      startCliHere([...args, "--name", `worker-${index}`], place),
    );
    const [first, second] = workers as [CliHere, CliHere];
    await Promise.all(workers.map((worker) => worker.whenSaid(/works for the service as worker-/)));
    const runId = await world.startRun();
    await vi.waitUntil(() => world.service.workers().filter(({ pages }) => pages > 0).length === 2, PATIENCE);
    first.interrupt("SIGTERM");
    const end = await first.end;
    expect(end).toMatchObject({ code: 0, stdout: "" });
    expect(end.stderr).toMatch(/stopping: no more jobs are taken[\s\S]*the worker has ended/);
    second.interrupt("SIGTERM");
    second.interrupt("SIGTERM");
    expect(await second.end).toMatchObject({ code: 130, stderr: expect.stringContaining("nothing is lost") });
    await second.over;
    expect(await world.whenOver(runId)).toMatchObject({ state: "completed", pagesBought: 80 });
    expect(world.sandbox.audit().charges).toHaveLength(80);
    expect(world.service.workers()).toEqual([]);
  });
});

/** Answers as a service of another version does (test/component/worker/ledger-routes.test.ts). */
async function startOtherVersion(): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(409, { "content-type": "application/problem+json" }).end(
      JSON.stringify({
        code: "WORKER_VERSION",
        detail: "the worker is licet 2.0.0, and the service is licet 1.0.0",
        details: { worker: "2.0.0", service: "1.0.0" },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
