import { isIP } from "node:net";
import { Redis, type RedisOptions } from "ioredis";
import type { LicetError } from "../errors.ts";
import { withDeadline } from "./deadline.ts";
import type { RedisAddress } from "./queue-url.ts";
import { describeRole, toRedisError } from "./redis-problem.ts";

/** The time limit for opening the queue. After that it counts as unreachable. */
const OPEN_TIMEOUT_MS = 5_000;
/** The time limit for one command of the adding side, including the wait for a reconnect. */
export const COMMAND_TIMEOUT_MS = 5_000;
const RECONNECT_STEP_MS = 100;
const RECONNECT_MAX_MS = 2_000;
/**
 * Reconnects before a waiting command of the adding side fails. They take 5.5 s together, so the command's own timeout comes
 * first.
 */
const RETRIES_PER_REQUEST = 10;

/** ioredis 6 types its answers by this option; licet leaves it at its default. */
type LegacyRedisOptions = RedisOptions & { replyMapping?: "legacy" };

/** `add` must fail in bounded time. A worker's command waits until the server returns. */
export type RedisRole = "adding" | "working";

/** Creates a client. It connects with the first command or with `openRedis`. */
export function createRedis(address: RedisAddress, role: RedisRole): Redis {
  const { tls, ...where } = address;
  return createQuietRedis({
    ...where,
    // A server of several names shows its certificate by the name that is asked for. An address is not a name (RFC 6066).
    ...(tls ? { tls: isIP(where.host ?? "") === 0 ? { servername: where.host ?? "" } : {} } : {}),
    lazyConnect: true,
    connectTimeout: OPEN_TIMEOUT_MS,
    retryStrategy: (times) => Math.min(times * RECONNECT_STEP_MS, RECONNECT_MAX_MS),
    ...(role === "adding"
      ? { commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: RETRIES_PER_REQUEST }
      : { maxRetriesPerRequest: null }),
  });
}

/**
 * An ioredis client that prints nothing. BullMQ reads `INFO` on each connection and prints a warning about the eviction policy to
 * the console; licet reports the policy once, through `checkHealth`. ioredis prints errors without a listener.
 */
function createQuietRedis(options: RedisOptions): Redis {
  const client: Redis = new Redis(options as LegacyRedisOptions);
  client.on("error", () => {});
  const info = client.info.bind(client) as (...args: unknown[]) => Promise<string>;
  return Object.assign(client, {
    // ioredis itself calls with a callback, BullMQ without.
    info: async (...args: unknown[]) =>
      args.length > 0 ? info(...args.map(withoutRights)) : (await info()).replace(/^maxmemory_policy:.*\r?\n/m, ""),
    duplicate: (override?: Partial<RedisOptions>) => createQuietRedis({ ...client.options, ...override }),
  });
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
 * @throws LicetError QUEUE_UNREACHABLE, within OPEN_TIMEOUT_MS
 */
export async function openRedis(client: Redis, place: string): Promise<void> {
  let lastError: unknown;
  const remember = (error: unknown) => {
    lastError = error;
  };
  client.on("error", remember);
  try {
    await withDeadline(
      OPEN_TIMEOUT_MS,
      client.connect().then(() => assertUsable(client)),
    );
  } catch (error) {
    cutRedis(client);
    throw unreachable(place, lastError ?? error);
  } finally {
    client.off("error", remember);
  }
}

/** A Cluster, a Sentinel and a replica answer too, and fail at the first job. BullMQ asks for `INFO` as well, so whoever may not is told so now. */
async function assertUsable(client: Redis): Promise<void> {
  await client.ping();
  const role = describeRole(String(await client.call("INFO")));
  if (role !== null) {
    throw new Error(role);
  }
}

/** Closes a connection once. Closing it again would leave a timer that keeps the process alive. */
export function cutRedis(client: Redis): void {
  if (client.status !== "end") {
    client.disconnect();
  }
}

/** The error for a server that cannot be reached, or that refuses a command. */
export function unreachable(place: string, cause: unknown): LicetError {
  return toRedisError(place, cause, reasonOf(cause));
}

/** An error's message without the arguments of the failed command, which ioredis adds as properties. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return reasonOf(error.errors[0]);
  }
  if (error instanceof Error) {
    return error.message === "" ? error.name : error.message;
  }
  return String(error);
}
