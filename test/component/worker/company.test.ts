/** How many messages a worker sends, and how many commits they are: calls wait for company, and never for long. */
import { expect, onTestFinished, test } from "vitest";
import { packMessage, unpackMessage } from "../../../src/ledger/http/body.ts";
import { createHttpChannel, type Exchange } from "../../../src/ledger/http/http-channel.ts";
import { answerMessage, createCalls, type Method } from "../../../src/ledger/messages/calls.ts";
import { decodeMessage } from "../../../src/ledger/messages/message.ts";
import { createCompany } from "../../../src/serve/workers/company.ts";
import { createFakeClock, type FakeClock } from "../../doubles/fake-clock.ts";

interface Port {
  settle(page: number): Promise<number>;
}

/** Turns of the event loop, in which everything goes on but time. */
async function settleDown(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function pass(clock: FakeClock, ms: number): Promise<void> {
  await settleDown();
  for (let passed = 0; passed < ms; passed += 1) {
    clock.advance(1);
    await settleDown();
  }
}

/** A worker whose service answers a message after so many ms. */
function open(answerMs: number) {
  const clock = createFakeClock();
  const messages: number[] = [];
  const exchange: Exchange = async (_request, body) => {
    const message = await unpackMessage(body);
    messages.push((decodeMessage(message) as readonly unknown[]).length);
    await clock.sleep(answerMs);
    const methodOf = (): Method => async (page) => page;
    return packMessage(await answerMessage(message, { methodOf }));
  };
  const channel = createHttpChannel({ exchange, clock, random: () => 0.5 });
  onTestFinished(() => channel.close());
  const port = createCalls<Port>(channel, { methods: ["settle"], path: "the service", clock });
  return { clock, messages, port };
}

test("the calls of a worker wait for the answer to its last message, and go together", async () => {
  const { clock, messages, port } = open(60);
  const answers: Promise<number>[] = [];
  // As many as 16 places at 50 ms bring: one every 3 ms.
  for (let page = 0; page < 300; page += 1) {
    answers.push(port.settle(page));
    await pass(clock, 3);
  }
  await pass(clock, 200);
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 300 }, (_, page) => page));
  expect(messages.reduce((sum, calls) => sum + calls, 0)).toBe(300);
  expect(messages.length).toBeLessThanOrEqual(18);
});

test("a message that takes long holds up the calls after it for a tenth of a second", async () => {
  const { clock, messages, port } = open(5_000);
  void port.settle(1);
  await pass(clock, 2);
  void port.settle(2);
  await pass(clock, 90);
  expect(messages).toEqual([1]);
  await pass(clock, 20);
  expect(messages).toEqual([1, 1]);
});

test("calls of all workers that come within 50 ms begin in the same turn", async () => {
  const clock = createFakeClock();
  const together = createCompany(clock);
  const begun: number[] = [];
  const methodOf = together(() => async () => {
    begun.push(clock.now());
  });
  const settle = methodOf("settle") as Method;
  // Each of four workers sends a message of four calls every 20 ms.
  for (let round = 0; round < 10; round += 1) {
    for (let worker = 0; worker < 4; worker += 1) {
      for (let call = 0; call < 4; call += 1) {
        void settle();
      }
      await pass(clock, 5);
    }
  }
  await pass(clock, 100);
  expect(begun).toHaveLength(160);
  expect(new Set(begun).size).toBeLessThanOrEqual(6);
});

test("a call by itself waits for nobody", async () => {
  const clock = createFakeClock();
  const settle = createCompany(clock)(() => async () => "settled")("settle") as Method;
  const answer = settle();
  await pass(clock, 1);
  await expect(answer).resolves.toBe("settled");
  expect(createCompany(clock)(() => null)("unknown")).toBeNull();
});
