import type { Stage } from "./queue.ts";

/** The beginning of every Redis key, before the name of the BullMQ queue. */
export const REDIS_KEY_PREFIX = "licet";

/**
 * The same in a Cluster: a command there touches the keys of one slot only, and what stands in braces decides the slot. All queues of a
 * ledger (its owners, schedules and stages) are in one slot, so they are lost and back together; another ledger may be in another.
 */
export function clusterKeyPrefix(name: string): string {
  return `${REDIS_KEY_PREFIX}:{${name.split("/", 1)[0]}}`;
}

/** The default prefix. Two ledgers that share a Redis need two prefixes. */
export const DEFAULT_QUEUE_PREFIX = "default";

/** The name of one owner's BullMQ queue of one stage. */
export function queueName(prefix: string, owner: string, stage: Stage): string {
  return `${escapeName(prefix)}/${escapeName(owner)}/${stage}`;
}

/** The name of the BullMQ queue that lists the owners under a prefix. */
export function ownersName(prefix: string): string {
  return `${escapeName(prefix)}/owners`;
}

/** The name of the BullMQ queue of schedules under a prefix. It has no owner: its schedulers survive the process. */
export function schedulesName(prefix: string): string {
  return `${escapeName(prefix)}/schedules`;
}

/** The id of a schedule's job scheduler. BullMQ takes ids with colons for those of an older version. */
export function schedulerIdOf(schedule: string): string {
  return escapeName(schedule);
}

/**
 * The BullMQ job id of a lease. It makes two additions of the same lease one job. BullMQ refuses ids that look like integers or
 * contain a colon, so the id gets a letter in front and is percent-encoded. It stays unique for every lease id.
 */
export function jobIdOf(leaseId: string): string {
  return `lease-${escapeName(leaseId)}`;
}

/** BullMQ builds keys with ":" and shells read "*", "?" and "[" as patterns, so none of these characters may come from a name. */
function escapeName(name: string): string {
  return encodeURIComponent(name).replaceAll("*", "%2A");
}
