import { isIP } from "node:net";
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";
import type { LicetError } from "../errors.ts";
import { withDeadline } from "./deadline.ts";
import type { RedisAddress, RedisHost } from "./redis-address.ts";
import { describeRole, type NamedQueue, nameServer, type RedisServer, toRedisError } from "./redis-problem.ts";

/** The time limit for opening the queue. After that it counts as unreachable. */
const OPEN_TIMEOUT_MS = 5_000;
/** For one of several hosts, so that another one is asked in time. */
const HOST_TIMEOUT_MS = 1_500;
/** The time limit for one command of the adding side, including the wait for a reconnect. */
export const COMMAND_TIMEOUT_MS = 5_000;
/**
 * A connection that owes an answer and says nothing for so long is broken: its server is frozen or cut off, and another one may be the
 * master by now. A worker waits 10 s for a job in one command.
 */
const SILENCE_MS: Readonly<Record<RedisRole, number>> = { adding: COMMAND_TIMEOUT_MS, working: 12_000 };
const RECONNECT_STEP_MS = 100;
const RECONNECT_MAX_MS = 2_000;
/**
 * Reconnects before a waiting command of the adding side fails. They take 5.5 s together, so the command's own timeout comes
 * first.
 */
const RETRIES_PER_REQUEST = 10;
/** How long a command that finds no node in a Cluster waits until it looks again. */
const CLUSTER_STEP_MS = 100;
/** How often a command of the adding side looks: it ends shortly before its timeout, with the better reason. */
const CLUSTER_TRIES = 40;

/** ioredis 6 types its answers by this option; licet leaves it at its default. */
type LegacyRedisOptions = RedisOptions & { replyMapping?: "legacy" };
type ClusterNodes = readonly (RedisHost & { readonly tls?: object })[];

/** `add` must fail in bounded time. A worker's command waits until the server returns. */
export type RedisRole = "adding" | "working";

export type RedisClient = Redis | Cluster;

/** Creates a client. It connects with the first command or with `openRedis`. */
export function createRedis(address: RedisAddress, role: RedisRole): RedisClient {
  const { mode, tls, username, password } = address;
  const options: RedisOptions = {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    lazyConnect: true,
    connectTimeout: mode === "server" ? OPEN_TIMEOUT_MS : HOST_TIMEOUT_MS,
    socketTimeout: SILENCE_MS[role],
    // Two commands for each connection, and rights for them.
    disableClientInfo: true,
    ...(role === "adding"
      ? { commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: RETRIES_PER_REQUEST }
      : { maxRetriesPerRequest: null }),
  };
  const reconnecting = {
    ...options,
    retryStrategy: (times: number) => Math.min(times * RECONNECT_STEP_MS, RECONNECT_MAX_MS),
    // A master that became a replica keeps its connections where nobody cuts them.
    reconnectOnError: ({ message }: Error) => message.includes("READONLY"),
  };
  switch (address.mode) {
    case "server": {
      const { mode: _mode, tls: _tls, ...where } = address;
      return createServerClient({ ...reconnecting, ...where, ...(tls ? { tls: tlsOf(where.host ?? "") } : {}) });
    }
    case "sentinel": {
      const { sentinels, master, db = 0, sentinelUsername, sentinelPassword } = address;
      return createServerClient({
        ...reconnecting,
        sentinels: [...sentinels],
        name: master,
        db,
        ...(sentinelUsername === undefined ? {} : { sentinelUsername }),
        ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
        sentinelCommandTimeout: HOST_TIMEOUT_MS,
        ...(tls ? { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
      });
    }
    case "cluster":
      return createClusterClient(
        address.nodes.map((node) => ({ ...node, ...(tls ? { tls: tlsOf(node.host) } : {}) })),
        {
          lazyConnect: true,
          // It would need one more right, and hold commands back without a limit while a master is lost.
          enableReadyCheck: false,
          maxRedirections: role === "adding" ? CLUSTER_TRIES : Number.POSITIVE_INFINITY,
          retryDelayOnMoved: CLUSTER_STEP_MS,
          retryDelayOnFailover: CLUSTER_STEP_MS,
          retryDelayOnClusterDown: CLUSTER_STEP_MS,
          retryDelayOnTryAgain: CLUSTER_STEP_MS,
          clusterRetryStrategy: reconnecting.retryStrategy,
          redisOptions: options,
          ...(tls ? { natMap: (node: string) => withTls(node) } : {}),
        },
      );
    default:
      return address satisfies never;
  }
}

/** A server of several names shows its certificate by the name that is asked for. An address is not a name (RFC 6066). */
function tlsOf(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

/** Each node of a Cluster is asked for by its own name, as the Cluster tells it. */
function withTls(node: string): RedisHost & { tls: object } {
  const colon = node.lastIndexOf(":");
  const host = node.slice(0, colon);
  return { host, port: Number(node.slice(colon + 1)), tls: tlsOf(host) };
}

function createServerClient(options: RedisOptions): Redis {
  const client = silence(new Redis(options as LegacyRedisOptions));
  return Object.assign(client, {
    duplicate: (override?: Partial<RedisOptions>) => createServerClient({ ...client.options, ...override }),
  });
}

function createClusterClient(nodes: ClusterNodes, options: ClusterOptions): Cluster {
  const client = silence(new Cluster([...nodes], options as ClusterOptions & { redisOptions?: LegacyRedisOptions }));
  client.on("+node", silence);
  endWhenCut(client);
  return Object.assign(client, {
    duplicate: (_nodes?: unknown, override?: ClusterOptions) =>
      createClusterClient(nodes, {
        ...options,
        redisOptions: { ...options.redisOptions, ...override?.redisOptions },
      }),
  });
}

/**
 * ioredis forgets a Cluster that is cut between two attempts to connect: it never ends, and BullMQ waits for its end when it closes. So
 * the next attempt is the last one.
 */
function endWhenCut(client: Cluster): void {
  const { clusterRetryStrategy } = client.options;
  const disconnect = client.disconnect.bind(client);
  let isCut = false;
  client.options.clusterRetryStrategy = (times, reason) => (isCut ? null : clusterRetryStrategy?.(times, reason));
  client.on("ready", () => isCut && disconnect());
  client.on("end", () => {
    isCut = false;
  });
  client.disconnect = (reconnect = false) => {
    isCut = !reconnect;
    if (reconnect || client.status !== "reconnecting") {
      disconnect(reconnect);
    }
  };
}

/**
 * Keeps a client from printing. BullMQ reads `INFO` on each connection and prints a warning about the eviction policy and about an old
 * version to the console; licet reports both once, through `checkHealth`. ioredis prints errors without a listener.
 */
function silence<Client extends RedisClient>(client: Client): Client {
  client.on("error", () => {});
  const info = client.info.bind(client) as (...args: unknown[]) => Promise<string>;
  return Object.assign(client, {
    // ioredis itself calls with a callback, BullMQ without.
    info: async (...args: unknown[]) =>
      args.length > 0 ? info(...args.map(withoutRights)) : withoutWarnings(await info()),
  });
}

/** What BullMQ does depends on no version between these two. */
function withoutWarnings(info: string): string {
  return info.replace(/^maxmemory_policy:.*\r?\n/m, "").replace(/^redis_version:6\.[01]\..*$/m, "redis_version:6.2.0");
}

/** ioredis prints that it may not read `INFO`. `openRedis` reads it too, and says so as an error. */
function withoutRights(callback: unknown): unknown {
  return typeof callback === "function"
    ? (error: unknown, text: unknown) =>
        error instanceof Error && error.message.startsWith("NOPERM") ? callback(null, "") : callback(error, text)
    : callback;
}

/**
 * Connects, so that a wrong address or password fails now instead of waiting later.
 * @returns what the server says of itself
 * @throws LicetError QUEUE_UNREACHABLE, within OPEN_TIMEOUT_MS
 */
export async function openRedis(client: RedisClient, queue: NamedQueue): Promise<RedisServer> {
  let lastError: unknown;
  const remember = (error: unknown) => {
    lastError = error;
  };
  const events = ["node error", "sentinelError"];
  let fail: (error: unknown) => void = () => {};
  const failed = new Promise<never>((_resolve, reject) => {
    fail = (error) => {
      // ioredis asks the Sentinels again and again. What each of them said is known now.
      if (isOfNoSentinel(error)) {
        reject(error);
      } else {
        remember(error);
      }
    };
  });
  client.on("error", fail);
  for (const event of events) {
    client.on(event, remember);
  }
  try {
    const opened = client.connect().then(() => readUsable(client));
    return await withDeadline(OPEN_TIMEOUT_MS, Promise.race([opened, failed]));
  } catch (error) {
    cutRedis(client);
    throw unreachable(queue, lastError ?? error);
  } finally {
    client.off("error", fail);
    for (const event of events) {
      client.off(event, remember);
    }
  }
}

function isOfNoSentinel(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("All sentinels are unreachable");
}

/** A Cluster, a Sentinel and a replica answer too, and fail at the first job. BullMQ asks for `INFO` as well, so whoever may not is told so now. */
async function readUsable(client: RedisClient): Promise<RedisServer> {
  await client.ping();
  const info = String(await client.call("INFO"));
  const role = describeRole(info);
  if (role !== null && !(client.isCluster && role === "cluster")) {
    throw new Error(role);
  }
  const server = nameServer(info);
  if (server.isTooOld) {
    throw new Error(`too old: ${server.name}`);
  }
  return server;
}

/** Closes a connection once. Closing it again would leave a timer that keeps the process alive. */
export function cutRedis(client: RedisClient): void {
  if (client.status !== "end") {
    client.disconnect();
  }
}

/** The error for a server that cannot be reached, or that refuses a command. */
export function unreachable(queue: NamedQueue, cause: unknown): LicetError {
  const root = rootOf(cause);
  return toRedisError(queue, root, reasonOf(root));
}

/** An error's message without the arguments of the failed command, which ioredis adds as properties. */
export function reasonOf(error: unknown): string {
  const root = rootOf(error);
  return root instanceof Error ? root.message || root.name : String(root);
}

/** Of several hosts that failed, the error of one. A node of a Cluster that answers tells more than that all have failed. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return rootOf(error.errors[0]);
  }
  const answer = error instanceof Error && "lastNodeError" in error ? error.lastNodeError : null;
  return answer instanceof Error && answer.name === "ReplyError" ? answer : error;
}
