/** How a thread with a ledger begins, and what it is called with. */
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type ResourceLimits, Worker } from "node:worker_threads";
import type { Ledger } from "../../ledger.ts";
import type { LedgerAccess } from "../../ledger-access.ts";
import { createCalls } from "../../messages/calls.ts";
import { type Failure, toError } from "../../messages/failure.ts";
import { toChannel } from "./thread-channel.ts";

/** What the thread is started with. `snapshots`: to read alone, one state at a time (snapshot-ledger.ts). */
export interface Opening {
  readonly path: string;
  readonly access: LedgerAccess | "snapshots";
  readonly compress: boolean;
}

/** The thread's first message: the methods of the port, or why there is no ledger. */
export type Opened = { readonly methods: readonly string[] } | { readonly failure: Failure };

/** As debuggers and profilers show the thread. */
type ThreadName = "licet-ledger" | "licet-reader";

export interface LedgerThread {
  readonly worker: Worker;
  /** Its calls go to the thread. */
  readonly ledger: Ledger;
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
}

/** @throws LicetError as `openSqliteLedger`. An error of the thread that nobody listens to ends the process */
export async function startThread(
  opening: Opening,
  name: ThreadName,
  resourceLimits: ResourceLimits,
): Promise<LedgerThread> {
  const worker = new Worker(threadFile(), {
    workerData: opening,
    name,
    // What the process was started with is not the thread's, such as `--input-type`, which a file does not take.
    execArgv: [],
    env: withCompileCache(),
    resourceLimits,
  });
  // Of a process that stood still, a thread's first message and its end come in one turn, so nobody can begin to listen in between.
  const ended = new Promise<number>((resolve) => worker.once("exit", resolve));
  // `once` rejects with an error of the thread while the ledger is opened.
  const [opened] = (await once(worker, "message")) as [Opened];
  if ("failure" in opened) {
    await ended;
    throw toError(opened.failure);
  }
  return { worker, ended, ledger: createCalls(toChannel(worker), { methods: opened.methods, path: opening.path }) };
}

/** What the process has compiled and stored, its thread need not compile again. */
function withCompileCache(): NodeJS.ProcessEnv {
  const directory = getCompileCacheDir();
  return directory === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(directory) };
}

/** The file beside this one, with the same extension, because Node also runs TypeScript in a thread. */
function threadFile(): string {
  const file = import.meta.url.endsWith(".ts") ? "./ledger-thread.ts" : "./ledger-thread.js";
  return fileURLToPath(new URL(file, import.meta.url));
}
