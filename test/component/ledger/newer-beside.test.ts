/** A newer licet that brings the ledger up to date while this process has it open. */
import { expect, test } from "vitest";
import { buyPages, startPages } from "../../doubles/ledger-shop.ts";
import { toSettlement } from "../../doubles/ledger-steps.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

test("a process of an earlier build writes nothing more: it does not know what the newer schema asks", async () => {
  const temp = await openTempLedger();
  const [page] = await startPages(temp.ledger);
  const [{ user_version: version } = { user_version: 0 }] = temp.query<{ user_version: number }>("PRAGMA user_version");
  temp.tamper(`PRAGMA user_version = ${version + 1}`);
  const settled = temp.ledger.settlePurchase(toSettlement(page?.purchaseId ?? 0));
  await expect(settled).rejects.toMatchObject({
    code: "LEDGER_NEWER",
    details: { version: version + 1, known: version },
  });
  await expect(buyPages(temp.ledger, { runId: "run_2" })).rejects.toMatchObject({ code: "LEDGER_NEWER" });
  expect(temp.query("SELECT state FROM purchase")).toEqual([{ state: "started" }]);
  temp.tamper(`PRAGMA user_version = ${version}`);
  await temp.ledger.settlePurchase(toSettlement(page?.purchaseId ?? 0));
  expect(temp.query("SELECT state FROM purchase")).toEqual([{ state: "settled" }]);
});
