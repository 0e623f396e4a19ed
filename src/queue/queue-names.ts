import type { Stage } from "./queue.ts";

/** Every Redis key starts with this, before the BullMQ queue's own name. */
export const REDIS_KEY_PREFIX = "licet";

/** The prefix of a queue that was given none. Two ledgers that share a Redis or PostgreSQL need two prefixes. */
export const DEFAULT_QUEUE_PREFIX = "default";

/** One owner's BullMQ queue of one stage. The prefix is part of the name, since BullMQ's PostgreSQL backend knows no key prefix. */
export function queueName(prefix: string, owner: string, stage: Stage): string {
  return `${escapeName(prefix)}/${escapeName(owner)}/${stage}`;
}

/** The BullMQ queue that lists who has queues under a prefix. */
export function ownersName(prefix: string): string {
  return `${escapeName(prefix)}/owners`;
}

/**
 * The BullMQ job id of a lease, which is what makes adding it twice one job. BullMQ refuses ids that look like integers
 * or hold a colon, so the id gets a letter in front and is percent-encoded; it stays unique, whatever a lease id holds.
 */
export function jobIdOf(leaseId: string): string {
  return `lease-${escapeName(leaseId)}`;
}

/** BullMQ builds keys with ":" and shells read "*", "?" and "[" as patterns: none of them may come from a name. */
function escapeName(name: string): string {
  return encodeURIComponent(name).replaceAll("*", "%2A");
}
