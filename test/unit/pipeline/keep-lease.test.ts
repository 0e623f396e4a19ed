import { expect, it } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { keepLease } from "../../../src/pipeline/work/keep-lease.ts";
import { createFakeClock } from "../../doubles/fake-clock.ts";

const LEASE_MS = 60_000;
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** @param leftMs of the lease when its job begins. @returns what is left of it at its first renewal */
async function beginLate(leftMs: number): Promise<number> {
  const clock = createFakeClock();
  const leasedUntil = clock.now() + leftMs;
  const renewed: number[] = [];
  const ledger = {
    renewLease: async ({ expiresAt }: { readonly expiresAt: number }) => {
      renewed.push(leasedUntil - clock.now());
      expect(expiresAt).toBe(clock.now() + LEASE_MS);
      return true;
    },
  } as unknown as Ledger;
  const never = new AbortController().signal;
  const lease = keepLease(
    { ledger, clock, limits: { leaseMs: LEASE_MS } as never },
    { leaseId: "1.1", leasedUntil },
    never,
  );
  for (let second = 0; renewed.length === 0 && second < LEASE_MS / 1_000; second += 1) {
    await nextTurn();
    clock.advance(1_000);
    await nextTurn();
  }
  lease.stop();
  expect(lease.signal.aborted).toBe(false);
  return renewed[0] as number;
}

it("renews a lease when a third of it is over, however long its job has waited in its queue", async () => {
  expect(await beginLate(LEASE_MS)).toBe(40_000);
  expect(await beginLate(50_000)).toBe(40_000);
});

it("renews a lease at once of which less is left, also when nothing is", async () => {
  expect(await beginLate(5_000)).toBeGreaterThanOrEqual(4_000);
  expect(await beginLate(-1)).toBeGreaterThanOrEqual(-1_001);
});
