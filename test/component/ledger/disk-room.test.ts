import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { reservePages } from "../../doubles/ledger-shop.ts";
import { start } from "../../doubles/ledger-steps.ts";
import { openTempLedger } from "../../doubles/temp-ledger.ts";

const { statfsSync } = fs;
const looks = vi.fn(statfsSync as (path: fs.PathLike) => fs.StatsFs);

beforeEach(() => {
  fs.statfsSync = looks as unknown as typeof statfsSync;
  syncBuiltinESMExports();
  looks.mockClear();
  onTestFinished(() => {
    fs.statfsSync = statfsSync;
    syncBuiltinESMExports();
  });
});

async function openShop() {
  const { ledger } = await openTempLedger();
  const paths = Array.from({ length: 20 }, (_, index) => `/${index}`);
  const { leaseId, purchases } = await reservePages(ledger, { paths });
  return {
    ledger,
    begin: (from: number, to: number) =>
      purchases.slice(from, to).map(({ purchaseId }) => start(ledger, leaseId ?? "", purchaseId)),
  };
}

test("the disk is looked at once for all purchases that are started in one commit", async () => {
  const { begin } = await openShop();
  expect(await Promise.all(begin(0, 10))).toEqual(Array(10).fill(true));
  expect(looks).toHaveBeenCalledTimes(1);
  expect(await Promise.all(begin(10, 12))).toEqual([true, true]);
  expect(looks).toHaveBeenCalledTimes(2);
});

test("a disk that got full after a commit is seen by the next purchase, and by each that asks whether there is room", async () => {
  const { ledger, begin } = await openShop();
  await Promise.all(begin(0, 2));
  await ledger.checkRoom();
  looks.mockImplementation((path) => ({ ...statfsSync(path), bavail: 0 }));
  await expect(ledger.checkRoom()).rejects.toMatchObject({ code: "DISK_FULL" });
  const refused = await Promise.allSettled(begin(2, 4));
  expect(refused.map((one) => one.status === "rejected" && one.reason.code)).toEqual(["DISK_FULL", "DISK_FULL"]);
});
