/** Answers come several at once: the requests that take their places are sent before anybody reads them. */
import { expect, onTestFinished, test } from "vitest";
import { Transport } from "../../../src/gateway/transport.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";
import { startLoopbackServer } from "../../doubles/loopback-server.ts";
import { ANSWERED, createSender, NO_WIRE, REQUEST } from "./wired-sender.ts";

test("a waiting request is sent before the answer that made room for it is read", async () => {
  const steps: string[] = [];
  const wire = {
    ...NO_WIRE,
    send: async () => {
      steps.push("sent");
      return ANSWERED;
    },
    received: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push("all received");
    },
  };
  const sender = createSender(createFakeClock(), wire, 1);
  const send = async () => {
    await sender.send(REQUEST, { call: "rate" }, undefined);
    steps.push("read");
  };
  await Promise.all([send(), send()]);
  expect(steps).toEqual(["sent", "sent", "all received", "read", "all received", "read"]);
});

test("answers of one turn of the event loop are read together", async () => {
  const server = await startLoopbackServer((_, response) => response.end("{}"));
  onTestFinished(() => server.close());
  const transport = new Transport({
    origin: server.baseUrl,
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
