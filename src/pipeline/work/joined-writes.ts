/**
 * The writes of a small run that go together. Somebody waits, and each commit is a wait for the disk: so the next leases are asked for with the write
 * that ends a stage, and the last settlement of a batch also ends the batch, and with the last batch the run.
 */
import type { FetchBatchEnd, FetchBatchEnded } from "../../ledger/fetch-ledger.ts";
import type { Lease } from "../../ledger/lease-ledger.ts";
import type { Ledger } from "../../ledger/ledger.ts";

export interface JoinedWrites {
  /** For the stages. */
  readonly ledger: Ledger;
  /** Says which leases are worked on now. */
  work(leases: readonly Lease[]): void;
  /** What the writes have leased, or new leases. */
  take(): Promise<readonly Lease[]>;
  /** Whether the run has ended with its last batch. */
  isEnded(): boolean;
}

/** @param readEnd how the run ends, by what it has decided. Called when nothing else of the run is worked on, before anything is bought of its batch */
export function joinWrites(
  ledger: Ledger,
  toLease: () => FetchBatchEnd["lease"],
  readEnd: () => Promise<NonNullable<FetchBatchEnd["end"]>>,
): JoinedWrites {
  const lease = () => ledger.leaseBatches(toLease());
  const leased: Promise<readonly Lease[]>[] = [];
  /** By its only purchase. */
  const batchOf = new Map<number, string>();
  const finished = new Set<string>();
  let isAlone = false;
  let end: FetchBatchEnd["end"] = null;
  let isEnded = false;

  const toBatchEnd = (leaseId: string): FetchBatchEnd => ({ leaseId, end, lease: toLease() });
  const noteEnd = (leaseId: string, { leases, ...ended }: FetchBatchEnded): boolean => {
    leased.push(Promise.resolve(leases));
    isEnded ||= ended.isEnded;
    if (ended.isFinished) {
      finished.add(leaseId);
    }
    return ended.isFinished;
  };

  const joined: Pick<Ledger, "decide" | "openAcquireBatch" | "settlePurchase" | "finishAcquireBatch"> = {
    decide(batch) {
      const decided = ledger.decide(batch);
      const leasing = lease();
      // When the stage fails too, nobody asks what was leased: the end of the run gives it back.
      leasing.catch(() => {});
      leased.push(leasing);
      return decided;
    },
    async openAcquireBatch(leaseId) {
      const batch = await ledger.openAcquireBatch(leaseId);
      // While other batches are worked on, more pages may be decided.
      end = batch !== null && isAlone ? await readEnd() : null;
      const [first, second] = batch?.purchases ?? [];
      if (first !== undefined && second === undefined) {
        batchOf.set(first.purchaseId, leaseId);
      }
      return batch;
    },
    async settlePurchase(settlement) {
      const leaseId = batchOf.get(settlement.purchaseId);
      if (leaseId === undefined) {
        return ledger.settlePurchase(settlement);
      }
      const { settled, last } = await ledger.settleLast({ ...settlement, last: toBatchEnd(leaseId) });
      noteEnd(leaseId, last);
      return settled;
    },
    async finishAcquireBatch(leaseId) {
      return finished.has(leaseId) || noteEnd(leaseId, await ledger.endFetchBatch(toBatchEnd(leaseId)));
    },
  };
  return {
    ledger: new Proxy(ledger, {
      get: (target, name) => Reflect.get(name in joined ? joined : target, name),
    }),
    work(leases) {
      isAlone = leases.length === 1;
    },
    take: async () => (leased.length === 0 ? lease() : (await Promise.all(leased.splice(0))).flat()),
    isEnded: () => isEnded,
  };
}
