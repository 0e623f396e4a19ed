import { expect, it } from "vitest";
import { buyPages, NOON } from "../doubles/ledger-shop.ts";
import { freeze, leaseFlusher, settle } from "../doubles/usage-outbox-driver.ts";
import type { OpenLedger } from "./ledger-contract.ts";

const ALL = { before: null, state: null, limit: 9 } as const;

/** What every ledger says of its usage reports, and of the money of a run. */
export function describeReportReports(open: OpenLedger): void {
  it("usage reports are listed from the newest on, by their state, with the receipts of one", async () => {
    const ledger = await open();
    await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"] });
    const fence = await leaseFlusher(ledger);
    const report = await freeze(ledger, fence);
    expect(await ledger.readReports({ ...ALL, state: "frozen" })).toMatchObject([
      { state: "frozen", entries: 2, closedAt: null },
    ]);
    await settle(ledger, report);
    const [listed] = await ledger.readReports(ALL);
    expect(listed).toMatchObject({ state: "settled", entries: 2 });
    expect(await ledger.readReports({ ...ALL, state: "needs_reconcile" })).toEqual([]);
    const reportId = listed?.batchId ?? 0;
    expect(await ledger.readReports({ ...ALL, before: reportId })).toEqual([]);
    expect(await ledger.readReceipts({ reportId, limit: 9 })).toMatchObject({ report: { batchId: reportId } });
    expect(await ledger.readReceipts({ reportId: 99, limit: 9 })).toBeNull();
  });

  it("the money of a run is what its allowed pages set aside, also when it was bought since", async () => {
    const ledger = await open();
    await buyPages(ledger, { runId: "run_1", paths: ["/a", "/b"] });
    const { spend } = await ledger.readRun("run_1");
    const money = await ledger.readRunMoney({ runId: "run_1" });
    expect(Object.keys(money)).toEqual(Object.keys(spend));
    for (const [currency, { settledMicros, feeMicros }] of Object.entries(spend)) {
      expect(money[currency]).toEqual({ allowedMicros: settledMicros + feeMicros, reportedMicros: 0 });
    }
    expect((await ledger.audit({ budgets: [], now: NOON })).violations).toEqual([]);
    await expect(ledger.readRunMoney({ runId: "run_9" })).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });
}
