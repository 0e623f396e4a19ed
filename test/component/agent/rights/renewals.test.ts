/** `onExpiry: relicense`, from licences that the sandbox sells with an end to runs that buy them again. */
import { expect, it } from "vitest";
import {
  chargesOf,
  createFetchWorld,
  type FetchWorld,
  FIRST,
  outcomesOf,
  PRICE_MICROS,
  urlOf,
} from "../fetch/fetch-world.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const RELICENSE = { policies: { standard: { onExpiry: "relicense", rules: [{ allow: {} }] } } };

/** The licence of a page that is sold from now on ends so many ms after the sandbox's time. */
function sellUntil({ sandbox }: FetchWorld, url: string, aheadMs: number): void {
  const validUntil = new Date(Date.now() + aheadMs).toISOString();
  sandbox.setRates(url, [{ licenseType: "ON_DEMAND_LICENSE", priceMicros: PRICE_MICROS, validUntil }]);
}

it("an incremental run buys again what ended, and what was used meanwhile is recorded and named", async () => {
  const world = await createFetchWorld(RELICENSE);
  sellUntil(world, FIRST, 5 * DAY_MS);
  await (await world.openAgent()).run();
  const early = await world.openAgentAt(4 * DAY_MS);
  world.sandbox.moveClock(4 * DAY_MS);
  expect((await early.run()).pages).toMatchObject({ bought: 0 });

  world.sandbox.moveClock(2 * DAY_MS);
  sellUntil(world, FIRST, 30 * DAY_MS);
  const late = await world.openAgentAt(6 * DAY_MS);
  const uses = await late.use([{ url: FIRST }, { url: urlOf(1) }]);
  expect(uses).toMatchObject({ recorded: 2, afterRights: { count: 1, pages: [{ url: FIRST, why: "validUntil" }] } });
  expect((await late.run()).pages).toMatchObject({ bought: 1 });
  expect(chargesOf(world).filter((url) => url === FIRST)).toHaveLength(2);
  expect(await late.use([{ url: FIRST }])).toMatchObject({ recorded: 1, afterRights: { count: 0, pages: [] } });
  expect((await late.run()).pages).toMatchObject({ bought: 0 });
});

it("a licence shorter than a day is renewed once by itself, which explain says, and by whoever fetches the page", async () => {
  const world = await createFetchWorld(RELICENSE);
  const bought: number[] = [];
  let ahead = 0;
  for (const hours of [1, 1, 1]) {
    sellUntil(world, FIRST, ahead + hours * HOUR_MS);
    bought.push((await (await world.openAgentAt(ahead)).run()).pages.bought);
    ahead += 2 * HOUR_MS;
    world.sandbox.moveClock(2 * HOUR_MS);
  }
  expect(bought).toEqual([10, 1, 0]);
  sellUntil(world, FIRST, ahead + HOUR_MS);
  const agent = await world.openAgentAt(ahead);
  expect((await agent.explain(FIRST)).conclusion).toMatchObject({
    willBeBought: false,
    reason: "unchanged",
    detail: expect.stringContaining("is not renewed once more by itself"),
  });
  expect(outcomesOf(await agent.fetch([FIRST]))).toEqual(["bought"]);
});
