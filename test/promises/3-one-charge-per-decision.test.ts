import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startLedgerProcess } from "../doubles/ledger-process.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import { type OpenedLease, openAcquire, readTotal, reserve, toSettlement } from "../doubles/ledger-steps.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";

const WORKERS = 3;
const PAGES = ["/a", "/b", "/c", "/d", "/e"];

describe("promise 3: at most one charge per decision", () => {
  it("lets each purchase be started once, by the newest holder, when workers of expired leases come back in any order", async () => {
    const workers = fc.integer({ min: 0, max: WORKERS - 1 });
    const attempts = fc.array(fc.record({ worker: workers, page: fc.nat(PAGES.length - 1) }), {
      minLength: 1,
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(attempts, async (tries) => {
        const { ledger } = await openTempLedger();
        await reserve(ledger, PAGES);
        const leases: OpenedLease[] = [];
        for (let worker = 0; worker < WORKERS; worker++) {
          leases.push(await openAcquire(ledger, { now: NOON + worker * LEASE_MS }));
        }
        const ids = leases[0]?.purchases.map(({ purchaseId }) => purchaseId) ?? [];
        const sent = await Promise.all(
          tries.map(async ({ worker, page }, n) => {
            const purchaseId = ids[page] ?? 0;
            const leaseId = leases[worker]?.leaseId ?? "";
            const mine = await ledger.startPurchase({
              leaseId,
              purchaseId,
              token: toToken(n),
              now: NOON,
            });
            return { page, worker, mine, token: `token-${n}` };
          }),
        );
        const newest = WORKERS - 1;
        const opened = await ledger.openAcquireBatch(leases[newest]?.leaseId ?? "");
        for (const [page, purchaseId] of ids.entries()) {
          const starts = sent.filter((one) => one.page === page && one.mine);
          const tried = tries.some((one) => one.page === page && one.worker === newest);
          expect(starts.map(({ worker }) => worker)).toEqual(tried ? [newest] : []);
          const purchase = opened?.purchases.find((one) => one.purchaseId === purchaseId);
          expect(purchase?.token?.token ?? null).toBe(starts[0]?.token ?? null);
        }
      }),
      { numRuns: 20 },
    );
  });

  it("lets one of several processes with the same lease start a purchase", async () => {
    const { ledger, path } = await openTempLedger();
    await reserve(ledger, PAGES);
    const { leaseId, purchases } = await openAcquire(ledger);
    const processes = await Promise.all(Array.from({ length: WORKERS }, () => startLedgerProcess(path)));
    const started = await Promise.all(
      purchases.map(async ({ purchaseId }) => {
        const start = { leaseId, purchaseId, now: NOON };
        const outcomes = await Promise.all(
          processes.map((process, n) => process.ledger.startPurchase({ ...start, token: toToken(n) })),
        );
        return outcomes.filter(Boolean).length;
      }),
    );
    expect(started).toEqual(PAGES.map(() => 1));
  });

  it("charges a purchase once however often its content arrives, in whatever process", async () => {
    const { ledger, path } = await openTempLedger();
    await reserve(ledger, ["/a"]);
    const { leaseId, purchases } = await openAcquire(ledger);
    const purchaseId = purchases[0]?.purchaseId ?? 0;
    await ledger.startPurchase({ leaseId, purchaseId, token: toToken(0), now: NOON });
    const processes = await Promise.all(Array.from({ length: WORKERS }, () => startLedgerProcess(path)));
    const settlements = await Promise.all(
      [...processes, ...processes].map((process) => process.ledger.settlePurchase(toSettlement(purchaseId))),
    );
    expect(settlements.map(({ outcome }) => outcome).sort()).toEqual([
      "repeated",
      "repeated",
      "repeated",
      "repeated",
      "repeated",
      "settled",
    ]);
    expect(await readTotal(ledger)).toMatchObject({
      spentMicros: 10_000,
      reservedMicros: 0,
    });
    expect(await ledger.countPendingUses()).toMatchObject({ unbatched: 1 });
  });
});

function toToken(n: number): { token: string; expiresAt: number } {
  return { token: `token-${n}`, expiresAt: NOON + LEASE_MS };
}
