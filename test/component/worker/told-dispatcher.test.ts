/** What workers elsewhere do wakes the dispatcher of the run, and what it is woken for is there to lease. */
import { expect, test } from "vitest";
import { LIMITS, NEVER } from "../pipeline/stage-world.ts";
import { openBoundWorld, TOKEN, toSettlement } from "./bound-world.ts";

test("the first page that a worker settles tells the owner of the run that the site is proven", async () => {
  const { come, beginAcquire, deps } = await openBoundWorld();
  let told = 0;
  deps.siteHealth.onProven(() => {
    told += 1;
  });
  const worker = await come("worker");
  const { leaseId, purchaseId } = await beginAcquire(worker);
  await worker.port.startPurchase({ leaseId, purchaseId, token: TOKEN, now: 1 });
  await worker.port.settlePurchase(toSettlement(purchaseId));
  expect(told).toBe(1);
});

test("a batch that a worker could not work on may be leased again when the dispatcher hears of it", async () => {
  const { come, beginAcquire, inFlight, ledger, runId, clock } = await openBoundWorld();
  const worker = await come("worker");
  const { leaseId } = await beginAcquire(worker);
  const again = inFlight
    .wait(LIMITS.leaseMs, NEVER)
    .then(() =>
      ledger.leaseBatches({ runId, limit: 1, now: clock.now(), leaseMs: LIMITS.leaseMs, maxWaitingPages: 0 }),
    );
  await worker.port.endJob({
    ...{ work: worker.work, job: { stage: "acquire", leaseId } },
    ...{ outcome: "drop", failure: null },
  });
  expect(await again).toMatchObject([{ stage: "acquire" }]);
});
