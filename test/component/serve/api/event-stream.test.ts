import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import fastify, { type FastifyInstance } from "fastify";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type EventStream, openEventStream } from "../../../../src/serve/api/event-stream.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

const CHUNK = "x".repeat(65_536);
/** Far more than sockets and the stream hold together. */
const MAX_SENT = 4_096;
const SMALL = "x".repeat(256);
const MOST_WAITING = 65_536;

let app: FastifyInstance;
beforeEach(() => {
  app = fastify();
});
afterEach(() => app.close());

it("disconnects a client that does not read, before its memory grows, and beats for one that does", async () => {
  const clock = createFakeClock();
  const opened = new Promise<EventStream>((resolve) => {
    app.get("/", async (_request, reply) => {
      resolve(openEventStream(reply, clock));
      return reply;
    });
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const client = connect(port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const stream = await opened;
  const [first] = await once(client.setEncoding("utf8"), "data");
  expect(first).toMatch(/text\/event-stream[\s\S]*: events of one run\n\n/);

  clock.advance(15_000);
  expect(await once(client, "data")).toEqual([expect.stringContaining(": still here\n\n")]);

  client.pause();
  let sent = 0;
  while (!stream.ended.aborted && sent < MAX_SENT) {
    stream.send({ id: String(++sent), name: "warning", data: { message: CHUNK } });
    await setImmediate();
  }
  expect(sent).toBeLessThan(MAX_SENT);
  client.on("error", () => {});
  client.resume();
  await once(client, "close");
});

it("holds no more for a client than it is told to", async () => {
  const opened = new Promise<[EventStream, ServerResponse]>((resolve) => {
    app.get("/", async (_request, reply) => {
      resolve([openEventStream(reply, createFakeClock(), { maxWaitingBytes: MOST_WAITING }), reply.raw]);
      return reply;
    });
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  const { port } = app.server.address() as { port: number };
  const client = connect(port, "127.0.0.1").pause();
  client.on("error", () => {});
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [stream, raw] = await opened;
  let most = 0;
  for (let sent = 0; !stream.ended.aborted && sent < MAX_SENT * 100; sent += 1) {
    most = Math.max(most, raw.writableLength);
    stream.send({ id: "1", name: "changed", data: { message: SMALL } });
    if (sent % 64 === 0) {
      await setImmediate();
    }
  }
  expect(stream.ended.aborted).toBe(true);
  expect(most).toBeLessThanOrEqual(MOST_WAITING);
  client.destroy();
});
