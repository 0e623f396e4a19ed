/** What crosses a network between a worker and its service is compressed, and what stays on one machine is not. */
import { expect, onTestFinished, test } from "vitest";
import { type Body, packMessage, unpackMessage } from "../../../src/ledger/http/body.ts";
import { createHttpChannel } from "../../../src/ledger/http/http-channel.ts";
import { answerMessage, createCalls, type Method } from "../../../src/ledger/messages/calls.ts";
import { systemClock } from "../../../src/time/clock.ts";
import { createServiceClient } from "../../../src/worker/service-client.ts";

interface Port {
  settle(content: Uint8Array): Promise<number>;
}

const CONTENT = Buffer.from("The same words again. ".repeat(2_000));

async function bodiesOf(compresses: boolean, content: Uint8Array): Promise<readonly Body[]> {
  const bodies: Body[] = [];
  const methodOf = (): Method => async (given) => (given as Uint8Array).length;
  const channel = createHttpChannel({
    exchange: async (_request, body) => {
      bodies.push(body);
      return packMessage(await answerMessage(await unpackMessage(body), { methodOf }));
    },
    clock: systemClock,
    random: () => 0.5,
    compresses,
  });
  onTestFinished(() => channel.close());
  const port = createCalls<Port>(channel, { methods: ["settle"], path: "the service" });
  expect(await port.settle(content)).toBe(content.length);
  return bodies;
}

test("a network gets a fraction of the content's bytes, one machine all of them", async () => {
  const [far] = await bodiesOf(true, CONTENT);
  expect(far?.isCompressed).toBe(true);
  expect(far?.bytes.length).toBeLessThan(CONTENT.length / 20);
  const [near] = await bodiesOf(false, CONTENT);
  expect(near?.isCompressed).toBe(false);
  expect(near?.bytes.length).toBeGreaterThan(CONTENT.length);
});

test("what is a few packets anyway is not compressed", async () => {
  const [short] = await bodiesOf(true, CONTENT.subarray(0, 6_000));
  expect(short?.isCompressed).toBe(false);
});

test.each([
  ["https://licet.example", true],
  ["http://10.0.0.2:8403/licet", true],
  ["http://127.0.0.1:8403", false],
  ["http://[::1]:8403", false],
  ["http://localhost:8403", false],
])("the service at %s is remote: %s", (url, isRemote) => {
  expect(createServiceClient({ url, token: "token", version: "1" }).isRemote).toBe(isRemote);
});
