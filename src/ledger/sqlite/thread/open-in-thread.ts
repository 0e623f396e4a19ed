/**
 * A ledger in a thread of its own, so that no wait for the disk stands between a socket and its answer. A crash of the thread is a crash
 * of the process: what it was doing is rolled back, as after a kill.
 */
import { once } from "node:events";
import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { assertBug } from "../../../errors.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerAccess } from "../../ledger-access.ts";
import { createCalls } from "../../messages/calls.ts";
import { type Failure, toError } from "../../messages/failure.ts";
import { toChannel } from "./thread-channel.ts";

/** What the thread is started with. */
export interface Opening {
  readonly path: string;
  readonly access: LedgerAccess;
  readonly compress: boolean;
}

/** The thread's first message: the methods of the port, or why there is no ledger. */
export type Opened = { readonly methods: readonly string[] } | { readonly failure: Failure };

/** What a thread allocates is short-lived rows: a young generation of V8's default size is enough, and the command's is four times that. */
const YOUNG_GENERATION_MB = 16;

/** As debuggers and profilers show it. */
const LEDGER_THREAD = "licet-ledger";

/** @throws LicetError as `openSqliteLedger` */
export async function openInThread(opening: Opening): Promise<Ledger> {
  const worker = new Worker(threadFile(), {
    workerData: opening,
    name: LEDGER_THREAD,
    // What the process was started with is not the thread's, such as `--input-type`, which a file does not take.
    execArgv: [],
    env: withCompileCache(),
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
  // An error of the thread that nobody listens to ends the process. `once` rejects with it while the ledger is opened.
  const [opened] = (await once(worker, "message")) as [Opened];
  if ("failure" in opened) {
    await once(worker, "exit");
    throw toError(opened.failure);
  }
  const ledger = createCalls(toChannel(worker), { methods: opened.methods, path: opening.path });
  let isClosed = false;
  const ended = new Promise<void>((resolve) => {
    worker.once("exit", (code) => {
      assertBug(isClosed, `the ledger's thread ended with ${code} before the ledger was closed`);
      resolve();
    });
  });
  return {
    ...ledger,
    async close() {
      isClosed = true;
      await ledger.close();
      await ended;
    },
  };
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
