/** The audit beside a process that buys: each audit sees one instant, so it never sees a half-done write. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteLedger } from "../../src/ledger/sqlite/open.ts";
import { startLedgerProcess } from "../doubles/ledger-process.ts";
import { NOON } from "../doubles/ledger-shop.ts";
import { createUse, freeze, leaseFlusher, recordUses, settle } from "../doubles/usage-outbox-driver.ts";
import { crawl, DAY_MS } from "./crawling.ts";

const SIZES = 4;
const PATHS = Array.from({ length: 12 }, (_, index) => `/w/${index}`);

test("sees no half-done write while another process crawls and reports", async () => {
  const directory = await mkdtemp(join(tmpdir(), "licet-beside-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, "licet.sqlite");
  const writer = await openSqliteLedger({ path });
  onTestFinished(() => writer.close());
  const { ledger: auditor } = await startLedgerProcess(path);
  // It writes until the auditor has looked in between, and more than now and then.
  const sizes = new Set<number>();
  let isWriting = true;
  const writing = crawlOften(writer, () => sizes.size < SIZES).finally(() => {
    isWriting = false;
  });
  while (isWriting) {
    const { violations, totals } = await auditor.audit({ budgets: [], now: NOON });
    expect(violations).toEqual([]);
    sizes.add(totals.purchases.settled);
  }
  const runs = await writing;
  expect((await auditor.audit({ budgets: [], now: NOON })).totals.purchases.settled).toBe(runs * (PATHS.length - 2));
});

/** @returns how many runs there were */
async function crawlOften(ledger: Parameters<typeof crawl>[0], goesOn: () => boolean): Promise<number> {
  let run = 0;
  for (; goesOn(); run++) {
    const at = NOON + run * DAY_MS;
    const pages = Object.fromEntries(PATHS.map((path) => [`${path}/${run}`, "settled" as const]));
    await crawl(ledger, {
      runId: `run-${run}`,
      at,
      pages: { ...pages, [`/w/0/${run}`]: "in_doubt", [`/w/1/${run}`]: "released" },
      useReserveMicros: 10_000,
    });
    await recordUses(ledger, [createUse(`/w/5/${run}`, { times: 3 })], { now: at });
    const fence = await leaseFlusher(ledger, at);
    await settle(ledger, await freeze(ledger, fence, { idempotencyId: `report-${run}`, now: at }));
    await ledger.releaseFlusher(fence);
  }
  return run;
}
