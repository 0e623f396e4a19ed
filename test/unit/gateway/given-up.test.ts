/** The place of a request that was sent and has no answer: the gateway may work on it until it hears that nobody waits any more. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { WireAnswer } from "../../../src/gateway/exchange.ts";
import { GIVEN_UP_MS } from "../../../src/gateway/request-gate.ts";
import type { Wire } from "../../../src/gateway/transport.ts";
import { createFakeClock, type FakeClock } from "../../doubles/fake-clock.ts";
import { ANSWERED, createSender, NO_WIRE, REQUEST } from "./wired-sender.ts";

const failed = (sent: boolean): WireAnswer => ({ kind: "failed", reason: "timeout", sent, detail: "no answer" });
/** A way across the network takes less than this. */
const way = fc.integer({ min: 0, max: GIVEN_UP_MS - 1 });

interface Drawn {
  readonly answer: WireAnswer;
  /** How long the client waits. */
  readonly afterMs: number;
  /** How long the gateway does not hear that the client has given it up. */
  readonly unheardMs: number;
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  answer: fc.constantFrom(ANSWERED, failed(true), failed(false)),
  afterMs: fc.integer({ min: 0, max: 5_000 }),
  unheardMs: way,
});

/** Ends each request as drawn, and counts what is under way at the gateway. */
function createDrawnWire(clock: FakeClock, fates: readonly Drawn[]) {
  let [sent, underWay, mostAtOnce] = [0, 0, 0];
  const wire: Wire = {
    async send() {
      const { answer, afterMs, unheardMs } = fates[sent] as Drawn;
      sent += 1;
      const isAtGateway = answer.kind === "answered" || answer.sent;
      underWay += isAtGateway ? 1 : 0;
      mostAtOnce = Math.max(mostAtOnce, underWay);
      await clock.sleep(afterMs);
      if (answer.kind === "answered") {
        underWay -= 1;
      } else if (answer.sent) {
        void clock.sleep(unheardMs).then(() => {
          underWay -= 1;
        });
      }
      return answer;
    },
    ...NO_WIRE,
  };
  return { wire, mostAtOnce: () => mostAtOnce };
}

test("the gateway never has more requests at once than allowed, whatever is given up", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(drawn, { minLength: 1, maxLength: 20 }),
      async (concurrency, fates) => {
        const clock = createFakeClock();
        const { wire, mostAtOnce } = createDrawnWire(clock, fates);
        const sender = createSender(clock, wire, concurrency);
        const all = Promise.all(fates.map(() => sender.send(REQUEST, { call: "rate" }, undefined)));
        await clock.drive(all, () => true);
        expect(mostAtOnce()).toBeLessThanOrEqual(concurrency);
      },
    ),
  );
});

test.each([
  { answer: ANSWERED, what: "an answer frees its place at once", inFlight: 0 },
  { answer: failed(false), what: "so does a request that was never sent", inFlight: 0 },
  { answer: failed(true), what: "one that was given up keeps it for a moment", inFlight: 1 },
])("$what", async ({ answer, inFlight }) => {
  const clock = createFakeClock();
  const sender = createSender(clock, { ...NO_WIRE, send: async () => answer }, 1);
  await sender.send(REQUEST, { call: "rate" }, undefined);
  expect(sender.limits.inFlight).toBe(inFlight);
  clock.advance(GIVEN_UP_MS);
  await null;
  expect(sender.limits.inFlight).toBe(0);
});

test("a client that is closed waits for no place", async () => {
  const clock = createFakeClock();
  const sender = createSender(clock, { ...NO_WIRE, send: async () => failed(true) }, 1);
  await sender.send(REQUEST, { call: "rate" }, undefined);
  await sender.close();
  await null;
  expect(clock.sleeping).toBe(0);
});
