/** Pages that are large together: no transaction, and so no log, may hold all of them. */
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { createContent, startPages } from "../../doubles/ledger-shop.ts";
import { toSettlement } from "../../doubles/ledger-steps.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

const PAGES = 120;
const BODY_BYTES = 1_000_000;
/** What the log may hold before it is moved into the file, and two groups of writes. */
const MAX_LOG_BYTES = 72 * 1_024 * 1_024;

test("pages of a megabyte that arrive at once are committed in groups that the log can hold", async () => {
  const { ledger, path } = await openTempLedger();
  const paths = Array.from({ length: PAGES }, (_, index) => `/${index}`);
  const purchases = await startPages(ledger, { paths });
  const markdown = Buffer.alloc(BODY_BYTES, "x");
  const settled = await Promise.all(
    purchases.map(({ purchaseId, url }) =>
      ledger.settlePurchase(toSettlement(purchaseId, { content: { ...createContent(url), markdown } })),
    ),
  );
  expect(new Set(settled.map(({ outcome }) => outcome))).toEqual(new Set(["settled"]));
  expect(statSync(`${path}-wal`).size).toBeLessThan(MAX_LOG_BYTES);
});
