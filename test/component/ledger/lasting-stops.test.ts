import { describe, expect, it } from "vitest";
import { NOON } from "../../doubles/ledger-shop.ts";
import {
  decideBatch,
  HOST,
  leaseMany,
  openAcquire,
  RUN,
  reserve,
  start,
  toEntry,
  toSettlement,
  toSpec,
  walkPage,
} from "../../doubles/ledger-steps.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

describe("an open item that stops a site", () => {
  it("is found by the transaction that decides, whoever opened it in between", async () => {
    const temp = await openTempLedger();
    const { ledger } = temp;
    await reserve(ledger, ["/a"]);
    const { leaseId, purchases } = await openAcquire(ledger);
    const purchaseId = purchases[0]?.purchaseId ?? 0;
    await start(ledger, leaseId, purchaseId);
    await ledger.settlePurchase(toSettlement(purchaseId, { flaws: [{ kind: "license_mismatch", detail: "another" }] }));
    await ledger.endRun({ runId: RUN, state: "completed", reason: null, now: NOON });
    const [item] = (await ledger.readStatus()).openItems;
    await ledger.closeItem({ itemId: item?.id ?? 0, now: NOON });

    await ledger.createRun(toSpec({ runId: "later" }));
    await walkPage(ledger, { entries: [toEntry("/b"), toEntry("/c")], runId: "later" });
    temp.tamper("DELETE FROM resolution; DELETE FROM act; UPDATE open_item SET closed_at = NULL");
    const decided = await decideBatch(ledger, { runId: "later" });
    expect(decided).toMatchObject({
      approved: 0,
      denied: { site_stopped: 2 },
      exhausted: { stop: "license_mismatch", detail: expect.stringContaining("licet resolve") },
    });
    expect((await ledger.readRun("later")).sites[0]).toMatchObject({ host: HOST, stop: "license_mismatch" });
    expect(await leaseMany(ledger, { runId: "later" })).toEqual([]);
    expect(await ledger.audit({ budgets: [], now: NOON })).toMatchObject({ violations: [] });
  });
});
