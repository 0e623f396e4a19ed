import { Queue as BullQueue, Worker as BullWorker, createRedisBackend } from "bullmq";
import { Cluster, type Redis } from "ioredis";
import { withDeadline } from "./deadline.ts";
import { clusterKeyPrefix, REDIS_KEY_PREFIX } from "./queue-names.ts";
import type { RedisAddress } from "./redis-address.ts";
import { COMMAND_TIMEOUT_MS, createRedis, cutRedis, openRedis, type RedisClient, reasonOf } from "./redis-client.ts";
import { describeConnection, type NamedQueue, type RedisServer } from "./redis-problem.ts";
import type { QueueTransport, TransportEvents, WorkerTransport } from "./transport.ts";

/** How a server is found, for people. */
const FOUND_BY = { server: "", sentinel: ", found by Sentinels", cluster: ", a Cluster" } as const;

/**
 * Redis or Valkey through ioredis: one server, a master that Sentinels name, or a Cluster. One connection adds jobs, with a timeout. The workers share another one for their commands,
 * and each worker has a third one that blocks until a job arrives. ioredis handles outages: it reconnects and sends again what
 * was not answered.
 * @throws LicetError QUEUE_UNREACHABLE
 */
export async function openRedisTransport(
  address: RedisAddress,
  { place, setting }: NamedQueue,
  events: TransportEvents,
): Promise<QueueTransport> {
  const client = createRedis(address, "adding");
  const server = await openRedis(client, { place, setting });
  watchOutages(client, place, events);
  return {
    kind: "redis",
    server: `${server.name}${FOUND_BY[address.mode]}`,
    place,
    setting,
    createQueue: (name, options) =>
      new BullQueue(name, { ...options, prefix: keyPrefix(address, name), connection: client }, createRedisBackend),
    createWorkerTransport: () => createWorkerTransport(address),
    findProblems: async () => [...findVersionProblems(server), ...(await findPolicyProblems(client))],
    ping: async () => {
      await client.ping();
    },
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
      new BullWorker(
        name,
        processor,
        { ...options, prefix: keyPrefix(address, name), connection: client },
        createRedisBackend,
      ),
    disconnect: async () => {
      for (const one of [client, ...blocking]) {
        cutRedis(one);
      }
    },
  };
}

function keyPrefix({ mode }: RedisAddress, name: string): string {
  return mode === "cluster" ? clusterKeyPrefix(name) : REDIS_KEY_PREFIX;
}

/**
 * BullMQ duplicates the client for each worker's blocking connection and does not expose the copy. licet must be able to close
 * it.
 */
function rememberDuplicates(client: RedisClient): readonly RedisClient[] {
  const duplicates: RedisClient[] = [];
  const duplicate = client.duplicate.bind(client) as (...args: unknown[]) => RedisClient;
  Object.assign(client, {
    duplicate: (...args: unknown[]) => {
      const copy = duplicate(...args);
      duplicates.push(copy);
      return copy;
    },
  });
  return duplicates;
}

/** Emits one sentence when the connection is lost and one when it is restored, not one for each attempt in between. */
function watchOutages(client: RedisClient, place: string, { onWarning }: TransportEvents): void {
  let isLost = false;
  client.on("error", (error: unknown) => {
    if (!isLost) {
      isLost = true;
      onWarning(`lost the queue at ${place} (${describeConnection(error, reasonOf(error))}); reconnecting`);
    }
  });
  client.on("ready", () => {
    if (isLost) {
      isLost = false;
      onWarning(`the queue at ${place} is back`);
    }
  });
  watchNodes(client, place, onWarning);
}

/** A Cluster that has lost one node has not lost the others. A lost node is connected again and again, until it is ready or replaced. */
function watchNodes(client: RedisClient, place: string, onWarning: TransportEvents["onWarning"]): void {
  const lost = new Set<string>();
  client.on("node error", (error: unknown, node: string) => {
    if (!lost.has(node)) {
      lost.add(node);
      onWarning(`lost the node ${node} of the queue at ${place} (${describeConnection(error, reasonOf(error))})`);
    }
  });
  client.on("+node", (node: Redis) => {
    const name = `${node.options.host}:${node.options.port}`;
    node.once("ready", () => {
      if (lost.delete(name)) {
        onWarning(`the node ${name} of the queue at ${place} is back`);
      }
    });
  });
}

function findVersionProblems({ name, isOld }: RedisServer): readonly string[] {
  return isOld ? [`the queue is on ${name}, which is old: BullMQ advises Redis 6.2 or later, or Valkey`] : [];
}

/** An evicted job is only delayed work, because the ledger leases it again. An evicted BullMQ key can stop a whole queue. */
async function findPolicyProblems(client: RedisClient): Promise<readonly string[]> {
  const masters = client instanceof Cluster ? client.nodes("master") : [client];
  return [...new Set((await Promise.all(masters.map(findPolicyProblem))).filter((problem) => problem !== null))];
}

async function findPolicyProblem(server: Redis): Promise<string | null> {
  const policy = await readPolicy(server);
  if (policy === null) {
    return "Redis does not report its maxmemory-policy, so it could not be checked: make sure that it is noeviction";
  }
  return policy === "noeviction"
    ? null
    : `Redis' maxmemory-policy is ${policy}: it must be noeviction, or Redis drops jobs when its memory is full`;
}

/** From `INFO`, which licet may read. Some servers tell it only to `CONFIG`, which managed ones often forbid. */
async function readPolicy(server: Redis): Promise<string | null> {
  const info = await server.call("INFO", "memory").catch(() => "");
  const fromInfo = /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1];
  if (fromInfo !== undefined) {
    return fromInfo;
  }
  const fromConfig = await server.config("GET", "maxmemory-policy").catch(() => null);
  const value: unknown = Array.isArray(fromConfig) ? fromConfig[1] : null;
  return typeof value === "string" ? value : null;
}

async function quit(client: RedisClient): Promise<void> {
  try {
    await withDeadline(COMMAND_TIMEOUT_MS, client.quit());
  } catch {
    // The server is gone, so no QUIT is needed.
  }
  cutRedis(client);
}
