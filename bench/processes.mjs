/** Starts the benchmark's child processes, each on its own core if the machine has `taskset`. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const HAS_TASKSET = spawnSync("taskset", ["--version"]).status === 0;

/** The gateway's core, and the one of whatever is measured against it. */
export const GATEWAY_CORE = 0;
export const CLIENT_CORE = 1;

function command(core, file, args, nodeOptions = []) {
  const node = [process.execPath, ...nodeOptions, fileURLToPath(new URL(file, import.meta.url)), ...args];
  return HAS_TASKSET ? ["taskset", "-c", String(core), ...node] : node;
}

/** A process that prints one JSON line when it is ready, and one for each line that it reads, and ends when its standard input does. */
export async function startService(core, file, options, nodeOptions = []) {
  const [program, ...args] = command(core, file, [JSON.stringify(options)], nodeOptions);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const nextLine = () =>
    new Promise((resolve, reject) => {
      const fail = (code) => reject(new Error(`${file} ended with ${code}`));
      child.once("exit", fail);
      lines.once("line", (line) => {
        child.off("exit", fail);
        resolve(JSON.parse(line));
      });
    });
  return {
    ready: await nextLine(),
    pid: child.pid,
    ask: () => {
      child.stdin.write("\n");
      return nextLine();
    },
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

/** A port that nobody has. */
async function findPort() {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** A private Redis on a spare port, without persistence; null when the machine has none. */
export async function startRedis() {
  if (spawnSync("redis-server", ["--version"]).status !== 0) {
    return null;
  }
  const port = await findPort();
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
    pid: child.pid,
    stop: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
    },
  };
}
