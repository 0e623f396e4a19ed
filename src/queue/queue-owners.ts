/**
 * Who has a queue on a server that several processes share. Everybody who opens a queue has one of their own, or the end and the errors
 * of one run would reach into another's. Who closes it takes it away; what a killed process left is found here by the next
 * one, since the dead no longer say that they are alive.
 *
 * The list of owners is a BullMQ queue that nobody works on, one job an owner: so it needs nothing that a backend does not have.
 * All of it is housekeeping: an owner who was only frozen and is taken for dead finds its queue emptied, which loses nothing.
 */
import type { Queue as BullQueue, Job } from "bullmq";
import { z } from "zod";

/** How often an owner says that it is alive, as a part of how long it is believed, and at the most. */
const SIGNS_PER_LIFE = 4;
const MIN_SIGN_MS = 5_000;
/** Owners looked at in one go: more than ever run at once on one ledger. */
const MAX_OWNERS = 1_000;

const ownerSchema = z.object({ aliveUntil: z.number() });

export interface QueueOwners {
  /** Stops saying that this owner is alive, and takes it from the list. */
  leave(): Promise<void>;
}

interface OwnersDeps {
  readonly list: BullQueue;
  readonly owner: string;
  /** How long an owner is believed to be alive after its last sign, ms. */
  readonly lifeMs: number;
  /** Takes away the queues of an owner who died. */
  readonly remove: (owner: string) => Promise<void>;
}

/** Puts an owner on the list, and takes away what dead ones left. */
export async function joinOwners({ list, owner, lifeMs, remove }: OwnersDeps): Promise<QueueOwners> {
  let sign = await giveSign(list, owner, lifeMs);
  await removeDead(list, owner, remove);
  const timer = setInterval(
    () => {
      // A server that is gone forgets its owners with all the rest: the next sign puts this one back.
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
      await remove(job.id);
      await job.remove();
    }
  }
}
