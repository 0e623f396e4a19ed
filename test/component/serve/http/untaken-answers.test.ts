/** Answers that wait in memory because their readers do not take them. */
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, it } from "vitest";
import { addProblems } from "../../../../src/serve/http/problem.ts";
import { boundUntakenAnswers, UNTAKEN_LIMITS, type UntakenLimits } from "../../../../src/serve/http/untaken-answers.ts";
import { ONE_PRICE } from "../../../doubles/cli-world.ts";
import { createFakeClock, type FakeClock } from "../../../doubles/fake-clock.ts";
import { createServiceWorld } from "../../../doubles/service-world.ts";

const HOST = "news.example";
/** More than the system holds for a connection. */
const LONG_BYTES = 16 * 1_048_576;
const LONG = "x".repeat(LONG_BYTES);
const LIMITS: UntakenLimits = {
  bytes: 2.5 * LONG_BYTES,
  bytesOfReader: 1.5 * LONG_BYTES,
  countedBytes: 1_024,
  givenUpMs: 30_000,
};
const BUSY = /^HTTP\/1\.1 503 .*retry-after: 5\r\n.*"code":"SERVICE_BUSY"/s;

let app: FastifyInstance;
let port: number;
let clock: FakeClock;
let sockets: Socket[] = [];
/** How many answers were sent, how many requests of `/wait` arrived, and what answers them. */
let sent = 0;
let asked = 0;
let answerAll = () => {};

beforeEach(async () => {
  clock = createFakeClock();
  sockets = [];
  sent = 0;
  asked = 0;
  const waiting = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  app = fastify({ logger: false });
  addProblems(app, { debug: () => {}, info: () => {}, warn: () => {} });
  app.decorateRequest("tokenName", null);
  app.addHook("onRequest", async (request) => {
    request.tokenName = String(request.headers.authorization);
  });
  boundUntakenAnswers(app, clock, LIMITS);
  app.addHook("onSend", async () => {
    sent += 1;
  });
  app.get("/long", (_request, reply) => reply.header("content-disposition", "attachment").send(LONG));
  app.post("/long", async () => LONG);
  app.get("/short", async () => "short");
  app.get("/wait", async () => {
    asked += 1;
    await waiting;
    return LONG;
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  ({ port } = app.server.address() as AddressInfo);
});
afterEach(() => {
  answerAll();
  for (const socket of sockets) {
    socket.destroy();
  }
  return app.close();
});

function send(reader: string, request: string, headers: readonly string[] = []): Socket {
  const socket = connect(port, "127.0.0.1").pause();
  socket.on("error", () => {});
  socket.write(toRequest(reader, request, headers));
  sockets.push(socket);
  return socket;
}

/** @param reader as the small service of these tests knows it */
function toRequest(reader: string, request: string, headers: readonly string[] = []): string {
  const all = [`Host: 127.0.0.1:${port}`, "Content-Length: 0", ...(reader === "" ? [] : [`Authorization: ${reader}`])];
  return [`${request} HTTP/1.1`, ...all, ...headers, "", ""].join("\r\n");
}

/** Asks, and takes nothing of the answer. */
async function holdBack(reader: string, request = "GET /long"): Promise<Socket> {
  const before = sent;
  const socket = send(reader, request);
  await expect.poll(() => sent).toBe(before + 1);
  return socket;
}

/** Asks, and takes the answer whole. */
async function take(reader: string, request = "GET /long"): Promise<string> {
  const socket = send(reader, request, ["Connection: close"]);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await once(socket.resume(), "close");
  return Buffer.concat(chunks).toString("latin1");
}

it("refuses a reader who takes nothing, and no other one, until all together have too much", async () => {
  const first = await holdBack("anna");
  expect(await take("anna")).toMatch(BUSY);
  expect(await take("anna")).not.toContain("content-disposition");
  expect((await take("bob")).length).toBeGreaterThan(LONG_BYTES);
  await holdBack("bob");
  expect(await take("carla")).toMatch(BUSY);
  first.destroy();
  await expect.poll(async () => (await take("carla")).length).toBeGreaterThan(LONG_BYTES);
  expect((await take("anna")).length).toBeGreaterThan(LONG_BYTES);
});

it("refuses neither short answers nor what an action has done", async () => {
  await holdBack("anna");
  await holdBack("bob");
  expect(await take("anna", "GET /short")).toMatch(/^HTTP\/1\.1 200 .*short$/s);
  expect((await take("anna", "POST /long")).length).toBeGreaterThan(LONG_BYTES);
  expect(await take("anna", "HEAD /long")).toMatch(/^HTTP\/1\.1 200 /);
});

it("counts what an action has done", async () => {
  await holdBack("anna", "POST /long");
  expect(await take("anna")).toMatch(BUSY);
});

it("gives up what was not taken for long, where it leaves no room for another answer", async () => {
  const old = await holdBack("anna");
  const other = await holdBack("bob");
  clock.advance(LIMITS.givenUpMs - 1);
  expect(await take("anna")).toMatch(BUSY);
  clock.advance(1);
  expect((await take("anna")).length).toBeGreaterThan(LONG_BYTES);
  await once(old.resume(), "close");
  expect(other.readyState).toBe("open");
});

it("forgets the answers of a connection that is closed, also those behind others and those that were not made", async () => {
  const gone = send("anna", "GET /wait");
  gone.write(toRequest("anna", "GET /wait"));
  await expect.poll(() => asked).toBe(2);
  gone.destroy();
  await expect.poll(connections).toBe(0);
  answerAll();
  await expect.poll(() => sent).toBe(2);
  const behind = send("anna", "GET /long");
  await expect.poll(() => sent).toBe(3);
  behind.write(toRequest("anna", "POST /long"));
  await expect.poll(() => sent).toBe(4);
  behind.destroy();
  await expect.poll(connections).toBe(0);
  expect((await take("anna")).length).toBeGreaterThan(LONG_BYTES);
});

it("holds in the service", async () => {
  const world = await createServiceWorld({
    sandbox: { sites: [{ kind: "synthetic", host: HOST, pages: 1, bodyBytes: 4_000_000 }], rates: ONE_PRICE },
    config: { budgets: [{ scope: "all", per: "day", limit: "10 USD" }], sites: [{ host: HOST, policy: "standard" }] },
  });
  try {
    await (await world.openAgent()).run();
    port = Number(new URL(world.service.url).port);
    const request = "GET /api/v1/documents/1";
    const { length } = await take("", request);
    expect(length).toBeGreaterThan(4_000_000);
    // The system holds some of each.
    for (let bytes = 0; bytes <= 2 * UNTAKEN_LIMITS.bytesOfReader; bytes += length) {
      send("", request);
    }
    await expect.poll(() => take("", request)).toMatch(BUSY);
    expect(await take("", "GET /healthz")).toMatch(/^HTTP\/1\.1 200 /);
  } finally {
    for (const socket of sockets) {
      socket.destroy();
    }
    await world.close();
  }
});

const connections = () =>
  new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)));
