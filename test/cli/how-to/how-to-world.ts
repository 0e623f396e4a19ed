/** A gateway, a directory with the configuration of the how-tos, and a shell in it that has `licet`. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import Database from "better-sqlite3";
import { parse, stringify } from "yaml";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { createDirectory, startCli } from "../../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";
import { PATIENCE } from "../../doubles/patience.ts";
import { type LicetServer, startLicetServer } from "./licet-server.ts";
import { findMissing, readHowTo, type Step } from "./read-how-to.ts";

const CONFIG = new URL("../../../docs/how-to/licet.config.yaml", import.meta.url);
const PAGES = 20;
const POLL_MS = 20;
const LEDGER = "data/licet.sqlite";
/** At the end of the PATH: for machines that do not have it. */
const FALLBACKS = ".fallbacks";

export interface HowToWorld {
  /** @throws Error naming the script that did not do what the document says, with all that was printed */
  play(markdown: string): Promise<void>;
  close(): Promise<void>;
}

export async function createHowToWorld(): Promise<HowToWorld> {
  const directory = await createDirectory();
  const sandbox = await startSandbox({
    sites: [newsSite(PAGES), { kind: "demo", host: "demo.example" }],
    rates: ONE_PRICE,
  });
  const server = await startLicetServer(join(directory.path, ".bin"));
  const place: Place = { cwd: directory.path, sandbox, server };
  await writeSqliteShell(directory.path);
  await writeFile(join(directory.path, "licet.config.yaml"), await readFile(CONFIG, "utf8"));
  return {
    play: async (markdown) => {
      for (const step of readHowTo(markdown)) {
        await take(step, place);
      }
    },
    close: async () => {
      await server.close();
      await place.sandbox.close();
      await directory.remove();
    },
  };
}

/** `sqlite3 FILE SQL`, as far as the documents use it. */
async function writeSqliteShell(cwd: string): Promise<void> {
  const driver = createRequire(import.meta.url).resolve("better-sqlite3");
  const program = `new (require("${driver}"))(process.argv[1]).exec(process.argv[2])`;
  await mkdir(join(cwd, FALLBACKS));
  await writeFile(join(cwd, FALLBACKS, "sqlite3"), `#!/bin/sh\nexec '${process.execPath}' -e '${program}' "$@"\n`, {
    mode: 0o755,
  });
}

interface Place {
  readonly cwd: string;
  sandbox: Sandbox;
  readonly server: LicetServer;
}

async function take(step: Step, place: Place): Promise<void> {
  switch (step.kind) {
    case "script":
      return runScript(step, place);
    case "configure":
      return configure(step.text, place);
    case "test":
      return TEST_VERBS[step.verb]?.(JSON.parse(step.json) as Record<string, unknown>, place) ?? unknownVerb(step.verb);
    default:
      return step satisfies never;
  }
}

function unknownVerb(verb: string): never {
  throw new Error(`the how-tos have no test verb ${verb}`);
}

/** What a document only tells: faults and latency of the gateway, a crash. */
const TEST_VERBS: Readonly<Record<string, (value: Record<string, unknown>, place: Place) => Promise<void>>> = {
  faults: async (faults, { sandbox }) => sandbox.setFaults(faults as Readonly<Record<string, number>>),
  /** Sections of the configuration, for a test that must not take long, or must. */
  configure: (sections, place) => configure(stringify(sections), place),
  /** Sites from directories, each a host and its directory, in place of the usual ones. */
  sandbox: async (directories, place) => {
    await place.sandbox.close();
    const sites = Object.entries(directories).map(([host, dir]) => ({
      kind: "directory" as const,
      host,
      dir: join(place.cwd, String(dir)),
    }));
    place.sandbox = await startSandbox({ sites, rates: ONE_PRICE });
  },
  /** Begins in a directory without a configuration. */
  empty: (_, { cwd }) => rm(join(cwd, "licet.config.yaml")),
  /** A script that the reader does not type: `{"script": "licet run", "exit": 4}`. */
  shell: ({ script, exit = 0 }, place) =>
    runScript({ kind: "script", text: `${script}\n`, exit: Number(exit), printed: [] }, place),
  /** A run that is killed when it has sent its first page and has no answer yet. */
  crash: async (_, place) => {
    place.sandbox.setFaults({ "content:timeout": 1 });
    const running = startCli(["run"], { cwd: place.cwd, env: environment(place) });
    while (!hasStarted(place.cwd)) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    running.child.kill("SIGKILL");
    await running.result;
    place.sandbox.setFaults({});
  },
};

function hasStarted(cwd: string): boolean {
  const file = join(cwd, LEDGER);
  if (!existsSync(file)) {
    return false;
  }
  const db = new Database(file, { readonly: true });
  try {
    return db.prepare("SELECT 1 FROM purchase WHERE state = 'started'").get() !== undefined;
  } catch {
    // The process is just making its tables.
    return false;
  } finally {
    db.close();
  }
}

export async function configure(text: string, { cwd }: Pick<Place, "cwd">): Promise<void> {
  const path = join(cwd, "licet.config.yaml");
  const sections = { ...parse(await readFile(path, "utf8")), ...parse(text) } as unknown;
  await writeFile(path, stringify(sections));
}

async function runScript({ text, exit, printed }: Extract<Step, { kind: "script" }>, place: Place): Promise<void> {
  const script = fillIn(text, place.cwd);
  const { code, output } = await new Promise<{ code: number; output: string }>((resolve) => {
    const options = { cwd: place.cwd, env: environment(place), timeout: PATIENCE.timeout };
    // With a socket as its input, bash takes itself for a remote shell, and would run somebody's .bashrc.
    execFile("bash", ["--norc", "-c", `exec 2>&1\n${script}`], options, (error, stdout) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout }),
    );
  });
  const missing = findMissing(printed, output);
  if (code !== exit || missing !== null) {
    const wrong = missing === null ? `ended with ${code} and not ${exit}` : `did not print: ${missing}`;
    throw new Error(`${wrong}\n--- script\n${script}--- output\n${output}`);
  }
}

/** RUN, PURCHASE, REPORT and ITEM stand for the ids that `licet status` lists: here the newest run, and the first of the others. */
function fillIn(script: string, cwd: string): string {
  if (!/\b(?:RUN|PURCHASE|REPORT|ITEM)\b/.test(script)) {
    return script;
  }
  const db = new Database(join(cwd, LEDGER), { readonly: true });
  const first = (sql: string) => String(db.prepare(sql).pluck().get());
  const ids = {
    RUN: first("SELECT name FROM run WHERE kind <> 'planning' ORDER BY id DESC LIMIT 1"),
    PURCHASE: first("SELECT min(id) FROM purchase WHERE state = 'in_doubt'"),
    REPORT: first("SELECT min(id) FROM usage_batch WHERE state = 'needs_reconcile'"),
    ITEM: first("SELECT min(id) FROM open_item WHERE closed_at IS NULL"),
  };
  db.close();
  return Object.entries(ids).reduce(
    (text, [name, id]) => text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), id),
    script,
  );
}

function environment({ cwd, sandbox, server }: Place): Record<string, string> {
  return {
    PATH: [server.bin, process.env.PATH, join(cwd, FALLBACKS)].join(delimiter),
    LICET_GATEWAY_URL: sandbox.url,
    LICET_API_KEY: "sandbox-key",
    LICET_AGENT_ID: "licet-demo",
  };
}
