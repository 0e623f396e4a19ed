/** docs/how-to/second-machine.md, command by command, by real processes on two machines: network namespaces with a cable between them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { createDirectory, MAIN } from "../doubles/cli-process.ts";
import { PATIENCE } from "../doubles/patience.ts";
import { findRedisProblem } from "../doubles/redis-server.ts";
import { ADDRESSES, createTwoMachines, findNamespaceProblem, type Machine } from "../doubles/two-machines.ts";
import { configure } from "./how-to/how-to-world.ts";
import { findMissing, readHowTo } from "./how-to/read-how-to.ts";

const DOCUMENT = new URL("../../docs/how-to/second-machine.md", import.meta.url);
const CONFIG = new URL("../../docs/how-to/licet.config.yaml", import.meta.url);
const GATEWAY_PORT = 8500;
/** Slow enough that the worker gets its part before the service has bought all. */
const GATEWAY = ["--synthetic", "news.example=150", "--latency", "80"];
const RATES = 'default:\n  - { license: ON_DEMAND_LICENSE, price: "0.01 USD" }\n';
/** Small batches, so that there are some for each. */
const SMALL_STEPS = {
  baseUrl: `http://${ADDRESSES.service}:${GATEWAY_PORT}`,
  apiKey: "sandbox-key",
  agentId: "licet-demo",
  concurrency: 6,
  quoteBatchSize: 10,
  catalogPageSize: 20,
};
/** What the document calls a proxy with a certificate. */
const PROXY = `
  const { readFileSync } = require("node:fs");
  const { connect } = require("node:net");
  require("node:tls").createServer({ key: readFileSync("tls.key"), cert: readFileSync("tls.crt") }, (socket) => {
    const service = connect(8403, "127.0.0.1");
    socket.pipe(service).pipe(socket);
    for (const one of [socket, service]) one.on("error", () => { socket.destroy(); service.destroy(); });
  }).listen(8443, "${ADDRESSES.service}");`;

const problem = findRedisProblem() ?? findNamespaceProblem();

async function createWorld() {
  const directory = await createDirectory();
  onTestFinished(() => directory.remove());
  const machines = createTwoMachines();
  onTestFinished(() => machines.remove());
  const folders: Readonly<Record<Machine, string>> = {
    service: join(directory.path, "service"),
    second: join(directory.path, "second"),
  };
  const bin = join(directory.path, "bin");
  await Promise.all([...Object.values(folders), bin].map((path) => mkdir(path)));
  await writeFile(join(bin, "licet"), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  await writeFile(join(folders.service, "licet.config.yaml"), await readFile(CONFIG, "utf8"));
  await configure(stringify({ gateway: SMALL_STEPS }), { cwd: folders.service });
  await writeFile(join(folders.service, "rates.yaml"), RATES);
  const env = {
    PATH: [bin, process.env.PATH].join(delimiter),
    HOME: directory.path,
    LICET_API_KEY: "sandbox-key",
    LICET_SERVE_TOKEN: "a-token-of-this-test",
    WORKER_TOKEN: "a-worker-of-this-test",
    REDIS_PASSWORD: "a-password-of-this-test",
  };
  /** Ends with its machine. */
  const startOn = (machine: Machine, command: readonly string[]) => {
    const [file = "", ...args] = [...machines.on[machine], ...command];
    spawn(file, args, { cwd: folders[machine], env, stdio: "ignore" });
  };
  /** Its output is a file: what goes on in the background has it too, and is not waited for. */
  const runOn = async (machine: Machine, script: string) => {
    const path = join(directory.path, "output");
    const output = openSync(path, "w");
    const [file = "", ...args] = [...machines.on[machine], "bash", "--norc", "-ec", script];
    const stdio = ["ignore", output, output] as const;
    const child = spawn(file, args, { cwd: folders[machine], env, stdio: [...stdio], timeout: PATIENCE.timeout });
    const [code] = (await once(child, "exit")) as [number | null];
    closeSync(output);
    return { code, output: await readFile(path, "utf8") };
  };
  return { folders, startOn, runOn };
}

describe.skipIf(problem !== null)(`a second machine${problem === null ? "" : ` (skipped: ${problem})`}`, () => {
  test("second-machine.md does what it says", async () => {
    const { folders, startOn, runOn } = await createWorld();
    startOn("service", [
      "licet",
      "sandbox",
      "--host",
      ADDRESSES.service,
      "--port",
      String(GATEWAY_PORT),
      "--rates",
      "rates.yaml",
      ...GATEWAY,
    ]);
    let machine: Machine = "service";
    const verbs: Readonly<Record<string, (json: { name: Machine; copy?: readonly string[] }) => Promise<void>>> = {
      machine: async ({ name, copy = [] }) => {
        await Promise.all(copy.map((file) => copyFile(join(folders[machine], file), join(folders[name], file))));
        machine = name;
      },
      proxy: async () => startOn("service", [process.execPath, "-e", PROXY]),
    };
    for (const step of readHowTo(await readFile(DOCUMENT, "utf8"))) {
      if (step.kind === "configure") {
        await configure(step.text, { cwd: folders[machine] });
      } else if (step.kind === "test") {
        await verbs[step.verb]?.(JSON.parse(step.json));
      } else {
        const { code, output } = await runOn(machine, step.text);
        expect({ code, missing: findMissing(step.printed, output) }, `${step.text}\n${output}`).toEqual({
          code: step.exit,
          missing: null,
        });
      }
    }
  });
});
