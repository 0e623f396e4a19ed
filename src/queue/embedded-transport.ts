import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker as Thread } from "node:worker_threads";
import { LicetError } from "../errors.ts";
import { withDeadline } from "./deadline.ts";
import type { EmbeddedStart } from "./embedded-messages.ts";
import { EmbeddedPool } from "./embedded-pool.ts";
import { createPoolQueue, createPoolWorker } from "./postgres-transport.ts";
import { reasonOf } from "./redis-client.ts";
import type { QueueTransport } from "./transport.ts";

/** `initdb` takes 4 s on a quiet machine; this is for one that is not. */
const START_TIMEOUT_MS = 120_000;
const IMAGE_FILE = "embedded-queue-image.tar.gz";
const PLACE = "the embedded queue";

/**
 * Starts the embedded queue: BullMQ's PostgreSQL backend over a database in this process' memory, so nothing has to be
 * installed or running. It ends with the process, which loses nothing (promise 6); `directory` holds only the image
 * that makes the next start fast, and only when the build shipped none.
 * @throws LicetError QUEUE_UNREACHABLE
 */
export async function openEmbeddedTransport(
  directory: string,
  shippedImage: string = builtImage(),
): Promise<QueueTransport> {
  const thread = await startThread(directory, shippedImage);
  const pool = new EmbeddedPool(thread);
  const onEnd = (reason: string) => pool.fail(endedByItself(reason));
  thread.on("error", (error) => onEnd(reasonOf(error)));
  thread.on("exit", (code) => onEnd(`its thread exited with code ${code}`));
  return {
    kind: "embedded",
    place: PLACE,
    createQueue: (name, options) => createPoolQueue(name, pool, options),
    createWorkerTransport: () => ({
      createWorker: (name, processor, options) => createPoolWorker(name, processor, pool, options),
      disconnect: async () => {},
    }),
    findProblems: async () => [],
    close: async () => {
      await thread.terminate();
    },
  };
}

/** What every call meets from then on. The queue could be started anew, but what ended it may end it again: a person should know. */
function endedByItself(reason: string): LicetError {
  return new LicetError("QUEUE_UNREACHABLE", `${PLACE} ended by itself: ${reason}`, {
    hint: "Resume the run, which starts it anew. If it ends again, make more memory free, or use a Redis: queue.url redis://…",
  });
}

/** From the image of the build, else of an earlier start, else from nothing: an image that does not start is made anew. */
async function startThread(directory: string, shippedImage: string): Promise<Thread> {
  const own = join(directory, IMAGE_FILE);
  for (const image of [shippedImage, own]) {
    if (existsSync(image)) {
      try {
        return await startOne({ loadImage: image, writeImage: null });
      } catch {
        // Half copied, or of another version of PGlite.
      }
    }
  }
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await rm(own, { force: true });
    return await startOne({ loadImage: null, writeImage: own });
  } catch (error) {
    throw new LicetError("QUEUE_UNREACHABLE", `${PLACE} does not start: ${reasonOf(error)}`, {
      hint: `Check that ${directory} can be written and that about a gigabyte of memory is free, or use a Redis: queue.url redis://…`,
      cause: error,
    });
  }
}

/** Makes the image that a build ships, so that no start has to run `initdb`. */
export async function buildEmbeddedImage(): Promise<string> {
  const image = builtImage();
  const thread = await startOne({ loadImage: null, writeImage: image });
  await thread.terminate();
  return image;
}

async function startOne(start: EmbeddedStart): Promise<Thread> {
  // Without this process' own flags: some (`--input-type`, `--eval`) make no sense for a thread and would stop it.
  const thread = new Thread(workerFile(), { workerData: start, execArgv: [] });
  try {
    await withDeadline(START_TIMEOUT_MS, untilReady(thread));
    return thread;
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}

async function untilReady(thread: Thread): Promise<void> {
  const stop = new AbortController();
  const exited = once(thread, "exit", { signal: stop.signal }).then(([code]) => {
    throw new Error(`its thread exited with code ${code}`);
  });
  exited.catch(() => {});
  try {
    // The first message is "ready"; an "error" event rejects.
    await Promise.race([once(thread, "message", { signal: stop.signal }), exited]);
  } finally {
    stop.abort();
  }
}

/** Beside this file, in whichever form this file is: Node runs TypeScript in a thread too. */
function workerFile(): URL {
  return new URL(isSource() ? "./embedded-worker.ts" : "./embedded-worker.js", import.meta.url);
}

/** Beside this file when compiled; from source, the one that the last build left. */
function builtImage(): string {
  return fileURLToPath(new URL(isSource() ? `../../dist/src/queue/${IMAGE_FILE}` : `./${IMAGE_FILE}`, import.meta.url));
}

function isSource(): boolean {
  return import.meta.url.endsWith(".ts");
}
