import { afterEach, describe, expect, it } from "vitest";
import { acquire } from "../../../src/pipeline/acquire/acquire.ts";
import { flushUsage } from "../../../src/pipeline/report/report.ts";
import { walk } from "../../../src/pipeline/walk/walk.ts";
import { catalogPage, TOKEN_LIFE_MS } from "../../doubles/scripted-gateway.ts";
import { createStageWorld, LIMITS, NEVER, type StageWorld } from "./stage-world.ts";

let world: StageWorld;
afterEach(() => world.close());

const FIRST = "https://news.example:443/a";
const SECOND = "https://news.example/a#top";
const IDENTITY = "https://news.example/a";

/** Another run, whose catalog spells the page otherwise. */
async function walkAgain(spelling: string): Promise<void> {
  await world.createRun("run_2");
  world.gateway.script.listCatalog = () => catalogPage([spelling]);
  const [walking] = await world.ledger.leaseBatches({
    runId: "run_2",
    limit: 1,
    now: world.clock.now(),
    leaseMs: LIMITS.leaseMs,
    maxWaitingPages: 1_000,
  });
  await walk(world.deps, walking?.leaseId ?? "", NEVER);
}

/** Reserves the page as FIRST spells it. */
async function reserveFirst(): Promise<string> {
  world = await createStageWorld();
  world.gateway.script.listCatalog = () => catalogPage([FIRST]);
  return world.leasePurchases([":443/a"]);
}

describe("the spelling of a page", () => {
  it("stays the purchase's own when the catalog changes it between a kill and the probe", async () => {
    const leaseId = await reserveFirst();
    const { ledger, clock, gateway, deps, drive } = world;
    const [purchase] = (await ledger.openAcquireBatch(leaseId))?.purchases ?? [];
    const purchaseId = purchase?.purchaseId ?? 0;
    const token = { token: "token-of-the-dead", expiresAt: clock.now() + TOKEN_LIFE_MS };
    expect(await ledger.startPurchase({ leaseId, purchaseId, token, now: clock.now() })).toBe(true);
    await walkAgain(SECOND);
    clock.advance(LIMITS.leaseMs);
    await drive(acquire(deps, await world.lease("acquire"), NEVER));
    expect(gateway.requests("fetchContent").map(({ url }) => url)).toEqual([FIRST]);
    expect(await ledger.readPage(IDENTITY)).toMatchObject({
      url: IDENTITY,
      wireUrl: FIRST,
      purchases: [{ state: "settled", url: FIRST, rule: "allow everything" }],
    });
    const [document] = await ledger.readDocuments({ host: null, sinceAt: null, afterPageId: 0, limit: 1 });
    expect(document).toMatchObject({ url: IDENTITY, purchaseUrl: FIRST, rule: "allow everything" });
  });

  it("is the same in the rates, the token, the content and the report", async () => {
    const leaseId = await reserveFirst();
    const { gateway, deps, drive } = world;
    await walkAgain(SECOND);
    await drive(acquire(deps, leaseId, NEVER));
    await drive(flushUsage(deps, { attempts: 1, minUses: 1 }, NEVER));
    expect(gateway.requests("quoteBatch")).toEqual([[FIRST]]);
    expect(gateway.requests("issueContentToken")).toMatchObject([{ url: FIRST }]);
    expect(gateway.requests("fetchContent")).toMatchObject([{ url: FIRST }]);
    expect(gateway.requests("reportUsage").map((body) => JSON.parse(Buffer.from(body).toString()).usage)).toMatchObject(
      [[{ url: FIRST }]],
    );
  });
});
