/** A fetch of one page asks for its rates while its run is written. */
import { expect, it } from "vitest";
import { LicetError } from "../../../../src/errors.ts";
import { chargesOf, createFetchWorld, FIRST, outcomesOf, urlOf } from "./fetch-world.ts";

const ratesOf = ({ requests }: { readonly requests: readonly string[] }) =>
  requests.filter((call) => call === "rate_batch");

it("the gateway is asked before the run stands in the ledger, and only once", async () => {
  const world = await createFetchWorld();
  let isAnswered = () => {};
  const answered = new Promise<void>((resolve) => {
    isAnswered = resolve;
  });
  const agent = await world.openAgentOver((ledger) => ({
    beginFetch: async (fetch) => {
      await answered;
      return ledger.beginFetch(fetch);
    },
  }));
  agent.on("gateway.request", ({ call }) => call === "rate_batch" && isAnswered());
  expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["bought"]);
  expect(ratesOf(world)).toHaveLength(1);
  expect(chargesOf(world)).toEqual([FIRST]);
});

it("several pages ask once together, as their batch says, and a page that is held asks nothing", async () => {
  const world = await createFetchWorld();
  const agent = await world.openAgent();
  expect(outcomesOf(await agent.fetch([FIRST, urlOf(1)]))).toEqual(["bought", "bought"]);
  expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["stored"]);
  expect(ratesOf(world)).toHaveLength(1);
});

it("nothing is asked early under an intent that needs no rates", async () => {
  const world = await createFetchWorld({ policies: { standard: { intent: "indexing", rules: [{ allow: {} }] } } });
  const agent = await world.openAgent();
  expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["bought"]);
  expect(ratesOf(world)).toEqual([]);
});

it("where no run can begin, that is the answer, and the next fetch buys the page", async () => {
  const world = await createFetchWorld();
  let isLocked = true;
  const agent = await world.openAgentOver((ledger) => ({
    beginFetch: async (fetch) => {
      if (isLocked) {
        throw new LicetError("LEDGER_LOCKED", "another process has the ledger", { details: { path: "ledger" } });
      }
      return ledger.beginFetch(fetch);
    },
  }));
  expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["failed LEDGER_LOCKED"]);
  expect(chargesOf(world)).toEqual([]);
  isLocked = false;
  expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["bought"]);
});
