import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openQueue } from "../../src/queue/bullmq-queue.ts";
import { findPostgresProblem, type PostgresServer, startPostgresServer } from "../doubles/postgres-server.ts";
import { createRecorder, describeQueueContract, inEveryStage } from "./queue-contract.ts";

const problem = findPostgresProblem();
const ONE_EACH = { walk: 1, quote: 1, acquire: 1, report: 1 };

describe.skipIf(problem !== null)(`PostgreSQL${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer();
  });
  afterAll(async () => {
    await server?.stop();
  });

  describeQueueContract("PostgreSQL", {
    kind: "postgres",
    isShared: true,
    options: () => ({ url: server.url, prefix: "contract" }),
  });

  it("fails to add, and still closes, when the server is gone", async () => {
    const own = await startPostgresServer();
    const queue = await openQueue({ url: own.url });
    const recorder = createRecorder();
    const workers = await queue.startWorkers(inEveryStage(recorder.process), {
      concurrency: ONE_EACH,
      onError: () => {},
    });
    await queue.add([{ stage: "walk", leaseId: "before" }]);
    await recorder.untilSeen(1);
    await own.stop();
    await expect(queue.add([{ stage: "walk", leaseId: "after" }])).rejects.toMatchObject({ code: "QUEUE_UNREACHABLE" });
    await workers.close();
    await queue.close();
  });

  it("starts no workers on a server that ends each connection, and the process goes on", async () => {
    const address = new URL(server.url);
    const upstreamPort = Number(address.port);
    const sockets = new Set<Socket>();
    let isOpen = true;
    const relay = createServer((socket) => {
      sockets.add(socket);
      const upstream = connect(upstreamPort, address.hostname);
      for (const one of [socket, upstream]) {
        one.on("error", () => {});
      }
      socket.on("close", () => upstream.destroy());
      socket.pipe(upstream);
      // PostgreSQL's own way to go away: it takes the connection, and ends it before it answers.
      upstream.on("data", (bytes) => (isOpen ? socket.write(bytes) : socket.destroy()));
    }).listen(0, "127.0.0.1");
    await once(relay, "listening");
    address.port = String((relay.address() as AddressInfo).port);
    const queue = await openQueue({ url: address.href, prefix: "relayed" });
    isOpen = false;
    const starting = queue.startWorkers(inEveryStage(createRecorder().process), {
      concurrency: ONE_EACH,
      onError: () => {},
    });
    await expect(starting).rejects.toMatchObject({ code: "QUEUE_UNREACHABLE" });
    await queue.close();
    for (const socket of sockets) {
      socket.destroy();
    }
    relay.close();
  });

  it("is unreachable when nothing listens, and does not repeat the password", async () => {
    const error = await openQueue({ url: "postgres://u:s3cret@127.0.0.1:1/x" }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "QUEUE_UNREACHABLE" });
    expect(JSON.stringify(error)).not.toContain("s3cret");
  });
});
