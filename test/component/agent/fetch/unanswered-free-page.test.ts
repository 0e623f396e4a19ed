/** A page at price 0 whose request had no usable answer: nothing is silently bought again (promise 3), whatever it costs by then. */
import { expect, it } from "vitest";
import { readPurchases } from "../../../doubles/crawl-world.ts";
import { chargesOf, createFetchWorld, FIRST, PRICE_MICROS } from "./fetch-world.ts";

const LICENSE_TYPE = "ON_DEMAND_LICENSE";

it("is in doubt, is not bought at a later price, and is bought after a person's word", async () => {
  const world = await createFetchWorld();
  world.sandbox.setRates(FIRST, [{ licenseType: LICENSE_TYPE, priceMicros: 0 }]);
  world.sandbox.setFaults({ "reset-after-charge": 1 });
  await (await world.openAgent()).run({ list: [FIRST] });
  const doubtful = () => readPurchases(world.ledgerFile).filter(({ url }) => url === FIRST);
  expect(doubtful().map(({ state }) => state)).toEqual(["in_doubt"]);
  world.sandbox.setFaults({});
  world.sandbox.setRates(FIRST, [{ licenseType: LICENSE_TYPE, priceMicros: PRICE_MICROS }]);
  const agent = await world.openAgent();
  await agent.run();
  await agent.fetch([FIRST]);
  expect(doubtful()).toHaveLength(1);
  const { inDoubt } = await agent.status();
  expect(await agent.audit()).toMatchObject({ ok: true });
  await agent.resolve(inDoubt[0]?.purchaseId ?? 0, true);
  expect(await agent.audit()).toMatchObject({ ok: true });
  await agent.run({ list: [FIRST] });
  expect(chargesOf(world).filter((url) => url === FIRST)).toHaveLength(2);
});
