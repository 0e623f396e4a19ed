/** Answers come several at once: the requests that take their places are sent before anybody reads them. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { resolveClientOptions } from "../../../src/gateway/client-options.ts";
import type { WireAnswer, WireRequest } from "../../../src/gateway/exchange.ts";
import { RequestSender } from "../../../src/gateway/request-sender.ts";
import { Transport, type Wire } from "../../../src/gateway/transport.ts";
import { systemClock } from "../../../src/time/clock.ts";

const REQUEST: WireRequest = { method: "GET", path: "/", headers: [], body: null };
const ANSWERED: WireAnswer = { kind: "answered", status: 200, headers: [], body: Buffer.from("{}") };

test("a waiting request is sent before the answer that made room for it is read", async () => {
  const steps: string[] = [];
  const wire: Wire = {
    send: async () => {
      steps.push("sent");
      return ANSWERED;
    },
    received: () =>
      new Promise((resolve) =>
        setImmediate(() => {
          steps.push("all received");
          resolve();
        }),
      ),
    close: async () => {},
  };
  const sender = new RequestSender(
    resolveClientOptions({
      ...{ baseUrl: "http://127.0.0.1:1", apiKey: "sandbox-key", agentId: "test-agent", userAgent: "test-agent/1.0" },
      ...{ concurrency: 1, requestsPerSecond: null, clock: systemClock },
    }),
    wire,
  );
  const send = async () => {
    await sender.send(REQUEST, { call: "rate" }, undefined);
    steps.push("read");
  };
  await Promise.all([send(), send()]);
  expect(steps).toEqual(["sent", "sent", "all received", "read", "all received", "read"]);
});

test("answers of one turn of the event loop are read together", async () => {
  const server = createServer((_, response) => response.end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const transport = new Transport({
    origin: `http://127.0.0.1:${port}`,
    connectTimeoutMs: 1_000,
    timeoutMs: 1_000,
    maxAnswerBytes: 1_000,
  });
  onTestFinished(() => transport.close());
  await transport.send(REQUEST);
  const together = transport.received();
  expect(transport.received()).toBe(together);
  await together;
  expect(transport.received()).not.toBe(together);
});
