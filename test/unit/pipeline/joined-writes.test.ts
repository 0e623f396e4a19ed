import { expect, test } from "vitest";
import type { FetchBatchEnd } from "../../../src/ledger/fetch-ledger.ts";
import type { Lease } from "../../../src/ledger/lease-ledger.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { joinWrites } from "../../../src/pipeline/work/joined-writes.ts";
import { toSettlement } from "../../doubles/ledger-steps.ts";

const LEASES: readonly Lease[] = ["1.1", "2.1"].map((leaseId) => ({ leaseId, stage: "acquire", host: "news.example" }));
const LEASE = { runId: "run_1", process: "here:1:a", limit: 16, now: 0, leaseMs: 1, maxWaitingPages: 0 };
const COMPLETED = { state: "completed", reason: null } as const;

/** Of batches with so many purchases each, numbered from that of the first on. */
function createWrites(purchases: number, isBroken: () => boolean = () => false) {
  const ends: FetchBatchEnd[] = [];
  const called: string[] = [];
  const end = (name: string, one: FetchBatchEnd) => {
    called.push(name);
    ends.push(one);
    return { isFinished: true, isEnded: one.end !== null, leases: [] };
  };
  const ledger = {
    openAcquireBatch: async (leaseId: string) => ({
      purchases: Array.from({ length: purchases }, (_, index) => ({ purchaseId: 10 * Number(leaseId[0]) + index })),
    }),
    settleLast: async ({ last }: { last: FetchBatchEnd }) => {
      if (isBroken()) {
        called.push("failed");
        throw new Error("the disk is full");
      }
      return { settled: { outcome: "settled", stopped: null }, last: end("settleLast", last) };
    },
    settlePurchase: async () => called.push("settlePurchase"),
    endFetchBatch: async (one: FetchBatchEnd) => end("endFetchBatch", one),
    leaseBatches: async () => [],
  } as unknown as Ledger;
  return {
    joined: joinWrites(
      ledger,
      () => LEASE,
      async () => COMPLETED,
    ),
    ends,
    called,
  };
}

test("the settlement of an only purchase ends the batch and the run, and the end of the batch is asked for once", async () => {
  const { joined, ends, called } = createWrites(1);
  joined.work(LEASES.slice(0, 1));
  await joined.ledger.openAcquireBatch("1.1");
  await joined.ledger.settlePurchase(toSettlement(10));
  expect(await joined.ledger.finishAcquireBatch("1.1")).toBe(true);
  expect(called).toEqual(["settleLast"]);
  expect(ends).toEqual([{ leaseId: "1.1", end: COMPLETED, lease: LEASE }]);
  expect(joined.isEnded()).toBe(true);
});

test("a settlement that failed is written again as a whole", async () => {
  let failures = 1;
  const { joined, called } = createWrites(1, () => failures-- > 0);
  joined.work(LEASES.slice(0, 1));
  await joined.ledger.openAcquireBatch("1.1");
  await expect(joined.ledger.settlePurchase(toSettlement(10))).rejects.toThrow("full");
  expect(joined.isEnded()).toBe(false);
  await joined.ledger.settlePurchase(toSettlement(10));
  expect(called).toEqual(["failed", "settleLast"]);
  expect(joined.isEnded()).toBe(true);
});

test("the settlements of several purchases are written by themselves", async () => {
  const { joined, called } = createWrites(2);
  joined.work(LEASES.slice(0, 1));
  await joined.ledger.openAcquireBatch("1.1");
  await joined.ledger.settlePurchase(toSettlement(10));
  await joined.ledger.settlePurchase(toSettlement(11));
  expect(await joined.ledger.finishAcquireBatch("1.1")).toBe(true);
  expect(called).toEqual(["settlePurchase", "settlePurchase", "endFetchBatch"]);
});

test("no batch says how the run ends while another one is worked on", async () => {
  const { joined, ends } = createWrites(1);
  joined.work(LEASES);
  for (const { leaseId } of LEASES) {
    await joined.ledger.openAcquireBatch(leaseId);
  }
  await joined.ledger.settlePurchase(toSettlement(10));
  await joined.ledger.finishAcquireBatch("2.1");
  expect(ends.map(({ end }) => end)).toEqual([null, null]);
  expect(joined.isEnded()).toBe(false);
});
