/** Redis as several servers of a test's own: a Cluster, and a master with a replica and a Sentinel. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";

export const MASTER_NAME = "mymaster";

export interface RedisGroup {
  /** Of the Cluster, or of the Sentinels, without a user. */
  readonly url: string;
  /** Runs one command on each server that has data. */
  callEach(command: string, ...args: string[]): Promise<readonly unknown[]>;
  /** Runs one command on the Sentinel. */
  callSentinel(command: string, ...args: string[]): Promise<unknown>;
  /** Empties it. */
  flush(): Promise<void>;
  /** Kills the master that has the most keys, and with it what its replica has not heard of. */
  killMaster(): Promise<void>;
  /** Stops it where it is (SIGSTOP): connections stay, nothing is answered. */
  freezeMaster(): Promise<void>;
  stop(): Promise<void>;
}

interface GroupOptions {
  /**
   * How long a server gives no sign of life until another one takes its place. @default so long that none seems lost on a machine that does
   * other work too
   */
  readonly lostAfterMs?: number;
}

const NEVER_LOST_MS = 60_000;
const FIRST_PORT = 7_000;
const SENTINEL_PORT = 26_379;
const MASTERS = 3;
const SLOTS = 16_384;
const POLL_MS = 20;
/** A replica is served at once, not five seconds later with others. */
const QUICK_COPY = ["--repl-diskless-sync-delay", "0"];

/** Three masters on loopback, and with `replicas` one of each, joined by commands. */
export async function startRedisCluster({
  replicas = false,
  lostAfterMs = NEVER_LOST_MS,
}: GroupOptions & { readonly replicas?: boolean } = {}): Promise<RedisGroup> {
  const group = await createServers();
  const ports = Array.from({ length: replicas ? 2 * MASTERS : MASTERS }, (_, index) => FIRST_PORT + index);
  // A node tells another one where it is by the address that it comes from.
  const place = ["--cluster-announce-ip", group.host, "--bind-source-addr", group.host];
  const settings = ["--cluster-enabled", "yes", "--cluster-node-timeout", String(lostAfterMs), ...place, ...QUICK_COPY];
  await Promise.all(
    ports.map((port) => group.start(port, [...settings, "--cluster-config-file", `nodes-${port}.conf`])),
  );
  const masters = ports.slice(0, MASTERS);
  await Promise.all(
    masters.map((port, index) => {
      const [from, to] = [index, index + 1].map((part) => Math.round((part * SLOTS) / MASTERS));
      return group.call(port, "CLUSTER", "ADDSLOTSRANGE", String(from), String(Number(to) - 1));
    }),
  );
  for (const port of ports.slice(1)) {
    await group.call(FIRST_PORT, "CLUSTER", "MEET", group.host, String(port));
  }
  for (const [index, port] of ports.slice(MASTERS).entries()) {
    const id = String(await group.call(FIRST_PORT + index, "CLUSTER", "MYID"));
    await until(async () => String(await group.call(port, "CLUSTER", "NODES")).includes(id));
    await group.call(port, "CLUSTER", "REPLICATE", id);
    await until(async () => /master_link_status:up/.test(String(await group.call(port, "INFO", "replication"))));
  }
  const knows = async (port: number) => {
    const info = String(await group.call(port, "CLUSTER", "INFO"));
    return info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${ports.length}`);
  };
  await Promise.all(ports.map((port) => until(() => knows(port))));
  // What a client asks of any node says which are whose replicas only when the news has come there.
  const hasAll = async (port: number) =>
    String(await group.call(port, "CLUSTER", "NODES")).match(/slave /g)?.length === ports.length - MASTERS;
  await Promise.all(replicas ? ports.map((port) => until(() => hasAll(port))) : []);
  return {
    ...group.common(ports, masters),
    url: `redis-cluster://${masters.map((port) => `${group.host}:${port}`).join(",")}`,
    callSentinel: () => Promise.reject(new Error("a Cluster has no Sentinel")),
  };
}

/** A master, its replica, and a Sentinel that makes the replica the master when the master is lost. */
export async function startRedisWithSentinel({ lostAfterMs = NEVER_LOST_MS }: GroupOptions = {}): Promise<RedisGroup> {
  const group = await createServers();
  const [master, replica] = [FIRST_PORT, FIRST_PORT + 1];
  await group.start(master, QUICK_COPY);
  await group.start(replica, ["--replicaof", group.host, String(master), "--replica-announce-ip", group.host]);
  await until(async () => /master_link_status:up/.test(String(await group.call(replica, "INFO", "replication"))));
  const config = join(group.directory, "sentinel.conf");
  const lines = [
    `sentinel monitor ${MASTER_NAME} ${group.host} ${master} 1`,
    `sentinel down-after-milliseconds ${MASTER_NAME} ${lostAfterMs}`,
    `sentinel failover-timeout ${MASTER_NAME} ${2 * lostAfterMs}`,
  ];
  await writeFile(config, `${lines.join("\n")}\n`);
  await group.start(SENTINEL_PORT, [], config);
  const callSentinel = (command: string, ...args: string[]) => group.call(SENTINEL_PORT, command, ...args);
  await until(async () =>
    JSON.stringify(await callSentinel("SENTINEL", "REPLICAS", MASTER_NAME)).includes(`:${replica}`),
  );
  return {
    ...group.common([master, replica], [master]),
    url: `redis-sentinel://${group.host}:${SENTINEL_PORT}/${MASTER_NAME}`,
    callSentinel,
  };
}

/** Servers on an address of loopback that no other test has, so that their ports are free. */
async function createServers() {
  const host = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;
  const directory = await mkdtemp(join(tmpdir(), "licet-redis-"));
  const children = new Map<number, ChildProcess>();
  const call = async (port: number, command: string, ...args: string[]): Promise<unknown> => {
    const client = new Redis({ host, port, lazyConnect: true, enableReadyCheck: false, retryStrategy: () => POLL_MS });
    client.on("error", () => {});
    try {
      return await client.call(command, ...args);
    } finally {
      client.disconnect();
    }
  };
  const kill = async (port: number) => {
    const child = children.get(port);
    children.delete(port);
    if (child !== undefined && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
    }
  };
  const fullest = async (ports: readonly number[]) => {
    const sizes = await Promise.all(ports.map(async (port) => Number(await call(port, "DBSIZE"))));
    return ports[sizes.indexOf(Math.max(...sizes))] ?? 0;
  };
  return {
    host,
    directory,
    call,
    start: async (port: number, settings: readonly string[], config?: string) => {
      const where = ["--bind", host, "--protected-mode", "no", "--port", String(port), "--dir", directory];
      const what = config === undefined ? ["--save", "", "--appendonly", "no"] : ["--sentinel"];
      const given = config === undefined ? [] : [config];
      children.set(port, spawn("redis-server", [...given, ...where, ...what, ...settings], { stdio: "ignore" }));
      await call(port, "PING");
    },
    common: (ports: readonly number[], masters: readonly number[]) => {
      const callEach = (of: readonly number[], command: string, ...args: string[]) =>
        Promise.all(of.filter((port) => children.has(port)).map((port) => call(port, command, ...args)));
      return {
        callEach: (command: string, ...args: string[]) => callEach(ports, command, ...args),
        flush: async () => {
          await callEach(masters, "FLUSHALL");
        },
        killMaster: async () => kill(await fullest(masters)),
        freezeMaster: async () => {
          children.get(await fullest(masters))?.kill("SIGSTOP");
        },
        stop: async () => {
          await Promise.all([...children.keys()].map(kill));
          await rm(directory, { recursive: true, force: true });
        },
      };
    },
  };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
