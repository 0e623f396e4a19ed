import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A PostgreSQL of a test's own, on a loopback port, in a private directory. */
export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; then it runs as nobody. */
const NOBODY = 65_534;

/** Why there is no PostgreSQL to test with, or null. It is optional everywhere. */
export function findPostgresProblem(): string | null {
  try {
    execFileSync("initdb", ["--version"], { stdio: "ignore" });
    execFileSync("postgres", ["--version"], { stdio: "ignore" });
    return null;
  } catch {
    return "no initdb and postgres on this machine's PATH";
  }
}

export async function startPostgresServer(): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), "licet-postgres-"));
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  if (isRoot) {
    await chown(directory, NOBODY, NOBODY);
  }
  const data = join(directory, "data");
  execFileSync("initdb", ["-D", data, "-U", "licet", "-A", "trust", "--no-sync"], { stdio: "ignore", ...user });
  const port = await findFreePort();
  const settings = ["fsync=off", "listen_addresses=127.0.0.1", `unix_socket_directories=${directory}`];
  const child = spawn("postgres", ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])], {
    stdio: ["ignore", "ignore", "pipe"],
    ...user,
  });
  for await (const line of createInterface({ input: child.stderr })) {
    if (/ready to accept connections/.test(line)) {
      break;
    }
  }
  child.stderr.resume();
  return {
    url: `postgres://licet@127.0.0.1:${port}/postgres`,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        // SIGQUIT: at once, with its children.
        child.kill("SIGQUIT");
        await exited;
      }
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") {
    throw new Error("no port");
  }
  return address.port;
}
