import { expect, it } from "vitest";
import { buyPages, NOON } from "../../doubles/ledger-shop.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";
import { freeze, leaseFlusher, WINDOW_MS } from "../../doubles/usage-outbox-driver.ts";

it("returns no report whose bytes differ from the frozen ones: it would be another report under the same id", async () => {
  const { ledger, tamper } = await openTempLedger();
  await buyPages(ledger);
  const fence = await leaseFlusher(ledger);
  const { body } = await freeze(ledger, fence);
  const changed = new TextDecoder().decode(body).replace('"timesUsed":1', '"timesUsed":2');
  tamper(`UPDATE usage_batch SET body = CAST('${changed}' AS BLOB)`);
  await expect(ledger.nextReport({ fence, now: NOON, windowMs: WINDOW_MS })).rejects.toMatchObject({
    code: "LEDGER_CORRUPT",
  });
});
