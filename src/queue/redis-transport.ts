import { Queue as BullQueue, Worker as BullWorker, createRedisBackend } from "bullmq";
import type { Redis } from "ioredis";
import { withDeadline } from "./deadline.ts";
import { REDIS_KEY_PREFIX } from "./queue-names.ts";
import type { RedisAddress } from "./queue-url.ts";
import { COMMAND_TIMEOUT_MS, createRedis, cutRedis, openRedis, reasonOf } from "./redis-client.ts";
import { describeConnection } from "./redis-problem.ts";
import type { QueueTransport, TransportEvents, WorkerTransport } from "./transport.ts";

/**
 * Redis or Valkey through ioredis. One connection adds jobs, with a timeout. The workers share another one for their commands,
 * and each worker has a third one that blocks until a job arrives. ioredis handles outages: it reconnects and sends again what
 * was not answered.
 * @throws LicetError QUEUE_UNREACHABLE
 */
export async function openRedisTransport(
  address: RedisAddress,
  place: string,
  events: TransportEvents,
): Promise<QueueTransport> {
  const client = createRedis(address, "adding");
  await openRedis(client, place);
  watchOutages(client, place, events);
  return {
    kind: "redis",
    place,
    createQueue: (name, options) =>
      new BullQueue(name, { ...options, prefix: REDIS_KEY_PREFIX, connection: client }, createRedisBackend),
    createWorkerTransport: () => createWorkerTransport(address),
    findProblems: () => findPolicyProblems(client),
    close: async () => {
      await quit(client);
    },
  };
}

function createWorkerTransport(address: RedisAddress): WorkerTransport {
  const client = createRedis(address, "working");
  const blocking = rememberDuplicates(client);
  return {
    createWorker: (name, processor, options) =>
      new BullWorker(name, processor, { ...options, prefix: REDIS_KEY_PREFIX, connection: client }, createRedisBackend),
    disconnect: async () => {
      for (const one of [client, ...blocking]) {
        cutRedis(one);
      }
    },
  };
}

/**
 * BullMQ duplicates the client for each worker's blocking connection and does not expose the copy. licet must be able to close
 * it.
 */
function rememberDuplicates(client: Redis): readonly Redis[] {
  const duplicates: Redis[] = [];
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (override) => {
    const copy = duplicate(override);
    duplicates.push(copy);
    return copy;
  };
  return duplicates;
}

/** Emits one sentence when the connection is lost and one when it is restored, not one for each attempt in between. */
function watchOutages(client: Redis, place: string, events: TransportEvents): void {
  let isLost = false;
  client.on("error", (error: unknown) => {
    if (!isLost) {
      isLost = true;
      events.onWarning(`lost the queue at ${place} (${describeConnection(error, reasonOf(error))}); reconnecting`);
    }
  });
  client.on("ready", () => {
    if (isLost) {
      isLost = false;
      events.onWarning(`the queue at ${place} is back`);
    }
  });
}

/** An evicted job is only delayed work, because the ledger leases it again. An evicted BullMQ key can stop a whole queue. */
async function findPolicyProblems(client: Redis): Promise<readonly string[]> {
  const policy = await readPolicy(client);
  if (policy === null) {
    return ["Redis does not report its maxmemory-policy, so it could not be checked: make sure that it is noeviction"];
  }
  if (policy !== "noeviction") {
    return [`Redis' maxmemory-policy is ${policy}: it must be noeviction, or Redis drops jobs when its memory is full`];
  }
  return [];
}

/** Managed servers often forbid CONFIG but report the policy in INFO. */
async function readPolicy(client: Redis): Promise<string | null> {
  const fromConfig = await client.config("GET", "maxmemory-policy").catch(() => null);
  const value: unknown = Array.isArray(fromConfig) ? fromConfig[1] : null;
  if (typeof value === "string") {
    return value;
  }
  const info = await client.call("INFO", "memory").catch(() => "");
  return /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1] ?? null;
}

async function quit(client: Redis): Promise<void> {
  try {
    await withDeadline(COMMAND_TIMEOUT_MS, client.quit());
  } catch {
    // The server is gone, so no QUIT is needed.
  }
  cutRedis(client);
}
