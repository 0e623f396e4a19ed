/** Connections of those who send slowly, or go on after they were answered. */
import { type AddressInfo, connect, type Socket } from "node:net";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, expect, it } from "vitest";
import {
  ARRIVAL_LIMITS,
  type ArrivalLimits,
  addArrivalChecks,
  brokenRequestOptions,
} from "../../../../src/serve/http/broken-requests.ts";
import { addProblems } from "../../../../src/serve/http/problem.ts";
import { systemClock } from "../../../../src/time/clock.ts";
import { createServiceWorld } from "../../../doubles/service-world.ts";

const LIMITS: ArrivalLimits = { headersMs: 150, requestMs: 400, checkMs: 20, answeredMs: 150, untakenMs: 1_000 };
/** Of those who send at once, however busy this machine is. */
const PATIENT: ArrivalLimits = { ...LIMITS, headersMs: 60_000, requestMs: 60_000 };
/** Far from every limit, and below those of Node. */
const MAX_MS = 40_000;
const DRIP_MS = 20;
/** More than the system holds for a connection. */
const LONG = "x".repeat(32 * 1_048_576);

let app: FastifyInstance;
/** Requests that wait until they are answered together. */
let asked = 0;
let answerAll = () => {};
afterEach(() => {
  answerAll();
  return app.close();
});

async function open(limits = LIMITS): Promise<number> {
  app = fastify({ logger: false, ...brokenRequestOptions(limits) });
  addProblems(app, { debug: () => {}, info: () => {}, warn: () => {} });
  addArrivalChecks(app, systemClock, limits);
  app.addHook("onRequest", async (request, reply) => {
    if (request.headers.authorization !== "right") {
      return reply.code(401).send({ refused: true });
    }
  });
  app.post("/hook", async () => ({ ok: true }));
  app.get("/long", async () => LONG);
  asked = 0;
  const waiting = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  app.get("/wait", async () => {
    asked += 1;
    await waiting;
    return { ok: true };
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

const connectionsOf = ({ server }: FastifyInstance) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)));

interface Heard {
  readonly text: string;
  readonly afterMs: number;
}

/** Sends the beginning, then a byte again and again, until the other side closes. It never closes by itself. */
function drip(port: number, beginning: string, host = "127.0.0.1"): Promise<Heard> {
  const socket = connect({ port, host, allowHalfOpen: true });
  const dripping = setInterval(() => socket.write("x"), DRIP_MS);
  return hear(socket, beginning).finally(() => clearInterval(dripping));
}

/** Sends a whole request and nothing after it: one byte more that came with it would be a second request, which is not one. */
function askOnce(port: number, request: string): Promise<Heard> {
  return hear(connect({ port, host: "127.0.0.1" }), request);
}

function hear(socket: Socket, beginning: string): Promise<Heard> {
  const from = performance.now();
  return new Promise((resolve) => {
    let text = "";
    socket.write(beginning);
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, afterMs: performance.now() - from });
    };
    const timer = setTimeout(end, MAX_MS);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", end);
    socket.on("close", end);
  });
}

const head = (...headers: string[]) =>
  ["POST /hook HTTP/1.1", "Host: x", "Content-Type: application/json", ...headers, "", ""].join("\r\n");
const BODY = "Content-Length: 100000";

it("a refused sender that goes on with its body is answered, and its connection is closed soon", async () => {
  const heard = await drip(await open(), head(BODY, "Authorization: wrong"));
  expect(heard.text).toMatch(/^HTTP\/1\.1 401 /);
  expect(heard.afterMs).toBeGreaterThanOrEqual(LIMITS.answeredMs);
  expect(heard.afterMs).toBeLessThan(MAX_MS);
});

it("a refused sender that ends its body in time keeps its connection", async () => {
  const socket = connect(await open(PATIENT), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  const answers = () => text.match(/HTTP\/1\.1 \d{3}/g) ?? [];
  socket.write(`${head("Content-Length: 2", "Authorization: wrong")}{}`);
  await expect.poll(answers).toEqual(["HTTP/1.1 401"]);
  await systemClock.sleep(2 * LIMITS.answeredMs);
  socket.write(`${head("Content-Length: 2", "Authorization: right")}{}`);
  await expect.poll(answers).toEqual(["HTTP/1.1 401", "HTTP/1.1 200"]);
  socket.destroy();
});

it("a body that does not end in time ends its connection", async () => {
  const heard = await drip(await open(), head(BODY, "Authorization: right"));
  expect(heard.text).toMatch(/^HTTP\/1\.1 400 .*did not end in time/s);
  expect(heard.afterMs).toBeGreaterThanOrEqual(LIMITS.requestMs);
  expect(heard.afterMs).toBeLessThan(MAX_MS);
});

it("an answer that nobody takes ends its connection, and one that is taken does not", async () => {
  // Longer than a busy machine stands still: this process takes the answer, too.
  const port = await open({ ...PATIENT, untakenMs: 5_000 });
  const ask = () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET /long HTTP/1.1\r\nHost: x\r\nAuthorization: right\r\nConnection: close\r\n\r\n");
    return socket;
  };
  const take = (socket: Socket) =>
    new Promise<number>((resolve) => {
      let taken = 0;
      socket.on("data", (chunk: Buffer) => {
        taken += chunk.length;
      });
      socket.on("close", () => resolve(taken));
    });
  const idle = ask().pause();
  expect(await take(ask())).toBeGreaterThan(LONG.length);
  await expect.poll(() => connectionsOf(app)).toBe(0);
  const taken = await take(idle.resume());
  expect(taken).toBeGreaterThan(0);
  expect(taken).toBeLessThan(LONG.length);
});

it("a connection that asks again and again before it was answered is closed, and nothing is done for the rest", async () => {
  const port = await open(PATIENT);
  const ask = (times: number) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET /wait HTTP/1.1\r\nHost: x\r\nAuthorization: right\r\n\r\n".repeat(times));
    return socket;
  };
  const usual = ask(4);
  await expect.poll(() => asked).toBe(4);
  const much = ask(2_000);
  await new Promise<void>((resolve) => much.resume().on("close", () => resolve()));
  expect(asked).toBe(4 + 4);
  expect(usual.readyState).toBe("open");
  usual.destroy();
});

it.each([
  ["headers that do not end", "POST /hook HTTP/1.1\r\nHost: x\r\nX-Slow: "],
  ["a first line that does not end", "POST /"],
])("%s in time end their connection", async (_what, beginning) => {
  const heard = await drip(await open(), beginning);
  expect(heard.text).toMatch(/did not end in time/);
  expect(heard.afterMs).toBeLessThan(MAX_MS);
});

it("a connection on which nothing was asked ends without an answer", async () => {
  const heard = await askOnce(await open(), "");
  expect(heard.text).toBe("");
  expect(heard.afterMs).toBeGreaterThanOrEqual(LIMITS.headersMs);
  expect(heard.afterMs).toBeLessThan(MAX_MS);
});

it.each(["Host: y", "host: x", "HOST:"])("refuses a request with a second host: %j", async (header) => {
  const heard = await askOnce(await open(PATIENT), `${head(header, "Connection: close", "Content-Length: 2")}{}`);
  expect(heard.text).toMatch(/^HTTP\/1\.1 400 .*the header Host more than once/s);
});

it.each(["http://y/hook", "*"])("refuses a request for %s, which is not a path", async (target) => {
  const heard = await askOnce(await open(PATIENT), `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(heard.text).toMatch(/^HTTP\/1\.1 400 .*is not a path/s);
});

it("holds in the service", async () => {
  const world = await createServiceWorld({
    sandbox: { sites: [] },
    config: {
      sites: [],
      webhooks: [{ id: "main", path: "/hook", url: "https://agent.example/hook", secret: "s" }],
    },
  });
  await open();
  try {
    const { port, hostname } = new URL(world.service.url);
    const refused = await drip(Number(port), head(BODY, "Authorization: wrong"), hostname);
    expect(refused.text).toMatch(/^HTTP\/1\.1 401 /);
    expect(refused.afterMs).toBeLessThan(MAX_MS);
    const twice = await drip(Number(port), `${head("Host: y", "Connection: close", "Content-Length: 2")}{}`, hostname);
    expect(twice.text).toMatch(/^HTTP\/1\.1 400 .*the header Host more than once/s);
  } finally {
    await world.close();
  }
  expect(ARRIVAL_LIMITS.requestMs + ARRIVAL_LIMITS.checkMs).toBeLessThanOrEqual(30_000);
});
