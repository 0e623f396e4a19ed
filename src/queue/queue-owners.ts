/**
 * The owners of queues on a server that several processes share. Each opened queue has its own owner, so that the end and the
 * errors of one run do not affect another run. A closed queue removes itself. The next owner removes what a killed process left,
 * because its heartbeats have stopped.
 *
 * The list of owners is a BullMQ queue without workers, with one job for each owner, so it works with every backend. Nothing
 * depends on it for correctness: when an owner was only suspended and counts as dead, its queue is emptied, which loses no work.
 */
import type { Queue as BullQueue, Job } from "bullmq";
import { z } from "zod";

/** How many heartbeats an owner sends within its lifetime. */
const SIGNS_PER_LIFE = 4;
const MIN_SIGN_MS = 5_000;
/** Owners that are read at once. More never run on one ledger. */
const MAX_OWNERS = 1_000;

const ownerSchema = z.object({ aliveUntil: z.number() });

export interface QueueOwners {
  /** Stops the heartbeats and removes this owner from the list. */
  leave(): Promise<void>;
}

interface OwnersDeps {
  readonly list: BullQueue;
  readonly owner: string;
  /** How long an owner counts as alive after its last heartbeat, ms. */
  readonly lifeMs: number;
  /** Removes the queues of a dead owner. */
  readonly remove: (owner: string) => Promise<void>;
}

/** Adds an owner to the list and removes what dead owners left. */
export async function joinOwners({ list, owner, lifeMs, remove }: OwnersDeps): Promise<QueueOwners> {
  let sign = await giveSign(list, owner, lifeMs);
  await removeDead(list, owner, remove);
  const timer = setInterval(
    () => {
      // A restarted server may have lost its list of owners. The next heartbeat adds this owner again.
      sign.updateData({ aliveUntil: Date.now() + lifeMs }).catch(async () => {
        sign = await giveSign(list, owner, lifeMs).catch(() => sign);
      });
    },
    Math.max(MIN_SIGN_MS, lifeMs / SIGNS_PER_LIFE),
  );
  timer.unref();
  return {
    leave: async () => {
      clearInterval(timer);
      await sign.remove();
    },
  };
}

function giveSign(list: BullQueue, owner: string, lifeMs: number): Promise<Job> {
  return list.add("owner", { aliveUntil: Date.now() + lifeMs }, { jobId: owner });
}

async function removeDead(list: BullQueue, self: string, remove: OwnersDeps["remove"]): Promise<void> {
  const owners = await list.getJobs(["waiting"], 0, MAX_OWNERS - 1);
  for (const job of owners) {
    const { success, data } = ownerSchema.safeParse(job?.data);
    if (job?.id !== undefined && job.id !== self && (!success || data.aliveUntil < Date.now())) {
      const removal = remove(job.id).then(() => job.remove());
      // Another owner may be removing the same. What is left then, the next owner removes; a server that is gone shows in the next call.
      await removal.catch(() => undefined);
    }
  }
}
