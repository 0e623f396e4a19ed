import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";

/** A Redis of a test's own, on a Unix socket in a private directory, with nothing kept on disk. */
export interface RedisServer {
  readonly url: string;
  /** Empties it, as an operator's FLUSHALL would. */
  flush(): Promise<void>;
  /** Runs one command. */
  call(command: string, ...args: string[]): Promise<unknown>;
  /** Kills it: whoever is connected loses the connection, and everything in it is gone. */
  kill(): Promise<void>;
  /** Stops it where it is (SIGSTOP): connections stay, nothing is answered. */
  freeze(): void;
  /** Lets it go on. */
  thaw(): void;
  /** Starts it again, empty, at the same place. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Why there is no Redis to test with, or null. On CI that is a failure and not a reason to skip. */
export function findRedisProblem(): string | null {
  try {
    execFileSync("redis-server", ["--version"], { stdio: "ignore" });
    return null;
  } catch {
    if (process.env.CI === "true") {
      throw new Error("redis-server is not installed, and on CI the tests against Redis must run");
    }
    return "no redis-server on this machine";
  }
}

/** @param settings more of redis-server's arguments, e.g. `["--maxmemory-policy", "allkeys-lru"]` */
export async function startRedisServer(settings: readonly string[] = []): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), "licet-redis-"));
  const socket = join(directory, "redis.sock");
  let child = await spawnServer(directory, socket, settings);
  const call = async (command: string, ...args: string[]): Promise<unknown> => {
    const client = new Redis({ path: socket });
    try {
      return await client.call(command, ...args);
    } finally {
      await client.quit();
    }
  };
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
  };
  return {
    url: `redis+unix://${socket}`,
    call,
    kill,
    freeze: () => void child.kill("SIGSTOP"),
    thaw: () => void child.kill("SIGCONT"),
    flush: async () => {
      await call("FLUSHALL");
    },
    start: async () => {
      child = await spawnServer(directory, socket, settings);
    },
    stop: async () => {
      await kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The server's address for a user that has these rights and no others. */
export async function addRedisUser(server: RedisServer, rights: string): Promise<string> {
  await server.call("ACL", "SETUSER", "licet", "on", ">pw", ...rights.split(" "));
  return server.url.replace("redis+unix://", "redis+unix://licet:pw@localhost");
}

async function spawnServer(directory: string, socket: string, settings: readonly string[]): Promise<ChildProcess> {
  await rm(socket, { force: true });
  const nothingKept = ["--port", "0", "--save", "", "--appendonly", "no", "--dir", directory];
  const child = spawn("redis-server", [...nothingKept, "--unixsocket", socket, ...settings], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    if (/ready to accept connections/i.test(line)) {
      // Kept flowing, or a full pipe would stop the server.
      child.stdout.resume();
      return child;
    }
  }
  throw new Error("redis-server ended before it was ready");
}
