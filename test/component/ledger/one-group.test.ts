/** Operations that share one transaction of the group commit: what they gather in memory is what rows would say. */
import { expect, test } from "vitest";
import { LicetError } from "../../../src/errors.ts";
import { NOON, startPages } from "../../doubles/ledger-shop.ts";
import {
  leaseMany,
  openAcquire,
  RUN,
  toApproval,
  toDecideRequest,
  toEntry,
  toRate,
  toSettlement,
  toSite,
  toSpec,
  walkPage,
} from "../../doubles/ledger-steps.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

const HOUR_MS = 3_600_000;

async function readViolations({ ledger }: Awaited<ReturnType<typeof openTempLedger>>) {
  return (await ledger.audit({ budgets: [], now: NOON })).violations;
}

test("a booking is never before the booking made last, also of its own group", async () => {
  const temp = await openTempLedger();
  const [a, b, c] = await startPages(temp.ledger, { paths: ["/a", "/b", "/c"] });
  const settle = (purchase: typeof a, now: number) =>
    temp.ledger.settlePurchase(toSettlement(purchase?.purchaseId ?? 0, { now }));
  await settle(a, NOON + 1);
  await Promise.all([settle(b, NOON + 10), settle(c, NOON + 5)]);
  expect(temp.query("SELECT at FROM booking ORDER BY seq")).toEqual(
    [NOON + 1, NOON + 10, NOON + 10].map((at) => ({ at })),
  );
  expect(await readViolations(temp)).toEqual([]);
});

test("a word about the clock counts for bookings of its own group", async () => {
  const temp = await openTempLedger();
  const [a, b] = await startPages(temp.ledger, { paths: ["/a", "/b"], at: NOON - HOUR_MS });
  const settle = (purchase: typeof a, now: number) =>
    temp.ledger.settlePurchase(toSettlement(purchase?.purchaseId ?? 0, { now }));
  await Promise.all([
    settle(b, NOON + HOUR_MS),
    temp.ledger.recordClockWord({ now: NOON, gatewayAt: null }),
    settle(a, NOON),
  ]);
  expect(temp.query("SELECT at FROM booking ORDER BY seq")).toEqual([{ at: NOON + HOUR_MS }, { at: NOON }]);
});

test("a month that is closed gets no booking of its own group", async () => {
  const temp = await openTempLedger();
  const [a, b] = await startPages(temp.ledger, { paths: ["/a", "/b"] });
  const settle = (purchase: typeof a) =>
    temp.ledger.settlePurchase(toSettlement(purchase?.purchaseId ?? 0, { now: NOON }));
  const month = { from: NOON - HOUR_MS, to: NOON + HOUR_MS };
  await Promise.all([settle(a), temp.ledger.closeMonth(month), settle(b)]);
  expect(temp.query("SELECT at FROM booking ORDER BY seq")).toEqual([{ at: NOON }, { at: month.to }]);
  expect(await readViolations(temp)).toEqual([]);
});

test("two batches that are decided in one group share the run's maxPages", async () => {
  const temp = await openTempLedger();
  const { ledger } = temp;
  const sites = ["a.example", "b.example"].map((host) => toSite({ host }));
  await ledger.createRun(toSpec({ sites, maxPages: 1 }));
  for (const { host } of sites) {
    await walkPage(ledger, { entries: [toEntry("/a", {}, host)] });
  }
  const leases = await leaseMany(ledger);
  const requests = await Promise.all(
    leases.map(async ({ leaseId }) => {
      const pages = (await ledger.openQuoteBatch(leaseId))?.pages ?? [];
      return toDecideRequest(
        leaseId,
        pages.map(({ pageId }) => toApproval(pageId, toRate(10_000))),
      );
    }),
  );
  const decided = await Promise.all(requests.map((request) => ledger.decide(request)));
  expect(decided.map(({ approved }) => approved)).toEqual([1, 0]);
  expect((await openAcquire(ledger, { runId: RUN })).purchases).toHaveLength(1);
  expect(await readViolations(temp)).toEqual([]);
});

test("what a group had counted is forgotten when one of its operations fails", async () => {
  const temp = await openTempLedger();
  const [page] = await startPages(temp.ledger);
  const settled = temp.ledger.settlePurchase(toSettlement(page?.purchaseId ?? 0));
  const failed = temp.ledger.resolvePurchase({ purchaseId: 999, charged: true, now: NOON });
  await expect(failed).rejects.toBeInstanceOf(LicetError);
  await settled;
  expect(temp.query("SELECT name, count FROM counter WHERE count > 0 ORDER BY name")).toEqual([
    { name: "page_held", count: 1 },
    { name: "use_pending", count: 1 },
  ]);
  expect(await readViolations(temp)).toEqual([]);
});
