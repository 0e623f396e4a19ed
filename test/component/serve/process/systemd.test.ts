/** With systemd's own program, and a datagram socket as systemd has one. Node has none, so Python receives. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connectSystemd } from "../../../../src/serve/process/systemd.ts";
import { startCliHere } from "../../../doubles/cli-here.ts";
import { type CrawlWorld, createCrawlWorld } from "../../../doubles/crawl-world.ts";
import { createFakeClock } from "../../../doubles/fake-clock.ts";

const isThere = (program: string) => spawnSync(program, ["--version"]).status === 0;
const CAN_RECEIVE = isThere("python3") && isThere("systemd-notify");

const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("bound", flush=True)
while True:
    print(s.recv(65536).decode().replace("\\n", " "), flush=True)
`;

interface Receiver {
  readonly path: string;
  /** Resolves when a message matches. */
  got(pattern: RegExp): Promise<string>;
}

async function startReceiver(directory: string): Promise<Receiver> {
  const path = join(directory, "notify.sock");
  const child = spawn("python3", ["-c", RECEIVER, path], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (more: string) => {
    text += more;
  });
  const got = async (pattern: RegExp) => {
    for (;;) {
      const match = pattern.exec(text);
      if (match !== null) {
        return match[0];
      }
      await once(child.stdout, "data");
    }
  };
  await got(/bound/);
  return { path, got };
}

async function createWorld(): Promise<CrawlWorld> {
  const world = await createCrawlWorld({ sandbox: { sites: [] }, config: { sites: [], serve: { port: 0 } } });
  onTestFinished(() => world.close());
  return world;
}

it.skipIf(!CAN_RECEIVE)("tells systemd when it is ready, that it is alive, and that it stops", async () => {
  const world = await createWorld();
  const { path, got } = await startReceiver(world.directory);
  const env = { PATH: process.env.PATH ?? "", NOTIFY_SOCKET: path, WATCHDOG_USEC: "100000" };
  const cli = startCliHere(["serve"], { cwd: world.directory, env });
  expect(await got(/READY=1 .*/)).toMatch(/STATUS=listens on http:\/\/127\.0\.0\.1:\d+, 0 runs at work/);
  await got(/WATCHDOG=1[\s\S]*WATCHDOG=1/);
  cli.interrupt("SIGTERM");
  await got(/STOPPING=1/);
  expect((await cli.end).code).toBe(0);
});

it("does not answer the watchdog of another process, nor for a service that does not answer", async () => {
  const clock = createFakeClock();
  const lines: string[] = [];
  const log = { debug: () => {}, info: () => {}, warn: (message: string) => void lines.push(message) };
  const env = { NOTIFY_SOCKET: "/nowhere", WATCHDOG_USEC: "30000000", PATH: "/nowhere" };
  let asked = 0;
  const service = {
    describe: () => "at work",
    checkAlive: async () => {
      asked += 1;
      throw new Error("the ledger hangs");
    },
  };
  const other = connectSystemd({ env: { ...env, WATCHDOG_PID: "1" }, pid: 2, clock, log });
  await other.ready(service);
  expect(asked).toBe(0);
  const own = connectSystemd({ env: { ...env, WATCHDOG_PID: "2" }, pid: 2, clock, log });
  onTestFinished(() => own.close());
  await own.ready(service);
  expect(asked).toBe(1);
  expect(lines).toEqual([
    "systemd cannot be told about this service: systemd-notify is not installed",
    "systemd cannot be told about this service: systemd-notify is not installed",
    "the watchdog is not answered: the ledger hangs",
  ]);
});

it("tells nobody where systemd does not wait", async () => {
  const lines: string[] = [];
  const log = { debug: () => {}, info: () => {}, warn: (message: string) => void lines.push(message) };
  const systemd = connectSystemd({ env: { WATCHDOG_USEC: "1000" }, pid: 1, clock: createFakeClock(), log });
  await systemd.ready({ describe: () => "at work", checkAlive: async () => expect.unreachable() });
  await systemd.stopping();
  expect(lines).toEqual([]);
});
