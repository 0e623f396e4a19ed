import { describe, expect, it } from "vitest";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { startLedgerProcess } from "../doubles/ledger-process.ts";
import { LEASE_MS, NOON } from "../doubles/ledger-shop.ts";
import { openAcquire, readTotal, reserve, start, toSettlement } from "../doubles/ledger-steps.ts";
import { openTempLedger } from "../doubles/temp-ledger.ts";

const PAGES = Array.from({ length: 100 }, (_, n) => `/${n}`);
const PRICE_MICROS = 10_000;
const LANES = 8;

describe("promise 4: nothing paid for is lost", () => {
  it.each([1, 20, 90])(
    "has content, charge and use of all that was acknowledged when the process is killed after %i settlements",
    async (killedAfter) => {
      const { ledger, path, query } = await openTempLedger();
      await reserve(ledger, PAGES, { acquireBatchSize: PAGES.length });
      const { leaseId, purchases } = await openAcquire(ledger);
      await Promise.all(purchases.map(({ purchaseId }) => start(ledger, leaseId, purchaseId)));

      const worker = await startLedgerProcess(path);
      const acknowledged: number[] = [];
      const killed = new Promise<void>((resolve) => {
        const waiting = [...purchases];
        // Each lane settles one purchase after the other, as a worker's requests come back.
        const settleNext = async (): Promise<void> => {
          const purchase = waiting.shift();
          if (purchase !== undefined) {
            await worker.ledger.settlePurchase(toSettlement(purchase.purchaseId));
            acknowledged.push(purchase.purchaseId);
            if (acknowledged.length === killedAfter) {
              void worker.kill().then(resolve);
            }
            await settleNext();
          }
        };
        for (let lane = 0; lane < LANES; lane++) {
          void settleNext();
        }
      });
      await killed;

      const after = await openSqliteLedger({ path });
      const settled = query<{ id: number }>("SELECT id FROM purchase WHERE state = 'settled'").map(({ id }) => id);
      expect(settled).toEqual(expect.arrayContaining(acknowledged));
      // What was not acknowledged is wholly settled or wholly started.
      expect(query<{ id: number }>("SELECT purchase_id AS id FROM content").map(({ id }) => id)).toEqual(settled);
      expect(
        query<{ id: number }>("SELECT purchase_id AS id FROM use WHERE kind = 'fetch'").map(({ id }) => id),
      ).toEqual(settled);
      expect(await readTotal(after)).toEqual({
        spentMicros: settled.length * PRICE_MICROS,
        inDoubtMicros: 0,
        reservedMicros: (PAGES.length - settled.length) * PRICE_MICROS,
      });
      // The rest is found started, with its token, by the next holder.
      const next = await openAcquire(after, { now: NOON + LEASE_MS });
      expect(next.purchases).toHaveLength(PAGES.length - settled.length);
      expect(next.purchases.every(({ state, token }) => state === "started" && token !== null)).toBe(true);
      expect((await after.audit({ budgets: [], now: NOON })).violations).toEqual([]);
      await after.close();
    },
  );
});
