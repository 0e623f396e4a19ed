import { describe, expect, onTestFinished, test } from "vitest";
import { createHttpChannel } from "../../src/ledger/http/http-channel.ts";
import { createCalls } from "../../src/ledger/messages/calls.ts";
import { createLossyExchange, HASTY_CLOCK } from "../doubles/lossy-exchange.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";
import { PLAYS_ALL } from "../doubles/whole-suite.ts";
import { createRandom } from "../simulation/random.ts";
import { describeLedgerContract } from "./ledger-contract.ts";
import { describeLeases } from "./ledger-lease-contract.ts";
import { describePurchases } from "./ledger-purchase-contract.ts";

async function openOverHttp(seed: number) {
  const { ledger, path } = await openTempLedger();
  const random = createRandom(seed, "wire").next;
  const { exchange, counts } = createLossyExchange(ledger, random);
  const channel = createHttpChannel({ exchange, clock: HASTY_CLOCK, random });
  onTestFinished(() => channel.close());
  return { counts, ledger: createCalls(channel, { methods: Object.keys(ledger), path, clock: HASTY_CLOCK }) };
}

/** A sample, of what a worker asks most: the whole contract takes a minute. */
const describeContract = PLAYS_ALL
  ? describeLedgerContract
  : (open: Parameters<typeof describeLedgerContract>[0]) => {
      describeLeases(open);
      describePurchases(open);
    };

// What is lost on the way is sent again, and worked on once: nobody notices.
describe("the SQLite ledger over requests that are lost, repeated, delayed and overtaken", () => {
  let seed = 0;
  describeContract(async () => {
    seed += 1;
    return (await openOverHttp(seed)).ledger;
  });

  test("an answer that was lost is given again, and nothing is done twice", async () => {
    const { ledger, counts } = await openOverHttp(4711);
    const fences = [];
    for (let call = 0; call < 50; call += 1) {
      const lease = await ledger.leaseFlusher({ now: call * 1_000, leaseMs: 10 });
      fences.push(lease?.fence);
    }
    expect(fences).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(counts.lost).toBeGreaterThan(5);
    expect(counts.worked).toBe(50);
  });
});
