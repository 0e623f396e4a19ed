/** Starts the benchmark's child processes, each on its own core if the machine has `taskset`. */
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const HAS_TASKSET = spawnSync("taskset", ["--version"]).status === 0;

/** The gateway's core, and the one of whatever is measured against it. */
export const GATEWAY_CORE = 0;
export const CLIENT_CORE = 1;

function command(core, file, args) {
  const node = [process.execPath, fileURLToPath(new URL(file, import.meta.url)), ...args];
  return HAS_TASKSET ? ["taskset", "-c", String(core), ...node] : node;
}

/** A process that prints one JSON line when it is ready and ends when its standard input does. */
export async function startService(core, file, options) {
  const [program, ...args] = command(core, file, [JSON.stringify(options)]);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const ready = await new Promise((resolve, reject) => {
    lines.once("line", (line) => resolve(JSON.parse(line)));
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code} before it was ready`)));
  });
  return {
    ready,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      await ended;
    },
  };
}

/**
 * A process that works and prints one JSON line at its end.
 * @param before a command that runs it, such as `strace` with its options
 */
export async function runTask(core, file, options, before = []) {
  const [program, ...args] = [...before, ...command(core, file, [JSON.stringify(options)])];
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  if (code !== 0) {
    throw new Error(`${file} failed with ${code}`);
  }
  return JSON.parse(output.trim().split("\n").at(-1));
}

/** A private Redis on a spare port, without persistence; null when the machine has none. */
export async function startRedis() {
  if (spawnSync("redis-server", ["--version"]).status !== 0) {
    return null;
  }
  const port = 20_000 + (process.pid % 20_000);
  const child = spawn(
    "redis-server",
    [
      "--port",
      String(port),
      "--bind",
      "127.0.0.1",
      "--save",
      "",
      "--appendonly",
      "no",
      "--maxmemory-policy",
      "noeviction",
    ],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => line.includes("Ready to accept") && resolve());
    child.once("exit", (code) => reject(new Error(`redis-server ended with ${code}`)));
  });
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
    },
  };
}
