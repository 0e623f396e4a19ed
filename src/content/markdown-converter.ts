/**
 * Converts pages in worker threads, so that the thread of the gateway and the ledger never waits for a page. A page that takes
 * too long can be stopped: its thread is ended and the next page gets a new thread. Every failure is an outcome. Threads start
 * with the first page and end when idle. They do not keep the process alive.
 */
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
import { Tinypool } from "tinypool";
import type { ConversionFailure, ConversionFault, ConversionOutcome } from "./conversion.ts";
import { type ConversionLimits, DEFAULT_CONVERSION_LIMITS, DEFAULT_THREADS } from "./conversion-limits.ts";
import type { ConversionTask } from "./markdown-worker.ts";

export interface MarkdownConverter {
  /** Derives Markdown from HTML and never rejects. After `close` the result is the failure `closed`. */
  convert(html: string, baseUrl: string): Promise<ConversionOutcome>;
  /** Ends the threads at once. Pages in flight or waiting get the failure `closed`. A second call changes nothing. */
  close(): Promise<void>;
}

export interface MarkdownConverterOptions {
  /** Pages converted at the same time. @default 2 */
  readonly threads?: number;
  /** @default DEFAULT_CONVERSION_LIMITS, for each field */
  readonly limits?: Partial<ConversionLimits>;
  /** How many pages may wait for a thread. One more gets the failure `queue_full`. @default 256 */
  readonly maxQueued?: number;
  /** The heap of one thread in MB. A page that needs more gets the failure `worker_failed`. @default 256 */
  readonly threadHeapMb?: number;
}

/** More than the gateway's default concurrency (64) can produce at once. With 50 kB pages it is about 13 MB. */
const DEFAULT_MAX_QUEUED = 256;
/** A page at the input limit parses to some 100 MB. */
const DEFAULT_THREAD_HEAP_MB = 256;
/** Starting a thread takes about 100 ms, so a thread stays through the pauses of a crawl. */
const IDLE_THREAD_MS = 10_000;
const DETAIL_MAX_CHARS = 200;
/** What the pool says of a page whose thread it ended. That of the page that was to end has an error of its own. */
const OF_ANOTHER_PAGE = "Terminating worker thread";

/** Creates a converter. No thread is started before the first page. */
export function createMarkdownConverter(options: MarkdownConverterOptions = {}): MarkdownConverter {
  const limits: ConversionLimits = { ...DEFAULT_CONVERSION_LIMITS, ...options.limits };
  const threads = options.threads ?? DEFAULT_THREADS;
  const maxQueued = options.maxQueued ?? DEFAULT_MAX_QUEUED;
  // The pool never gets more pages than it has threads. The time limit of a page starts with its thread. A page that waits inside
  // the pool would be lost when the thread it waits for is ended.
  const limit = pLimit(threads);
  const closing = new AbortController();
  let pool: Tinypool | null = null;

  async function run(task: ConversionTask): Promise<ConversionOutcome> {
    if (closing.signal.aborted) {
      return closed();
    }
    pool ??= openPool(threads, options.threadHeapMb ?? DEFAULT_THREAD_HEAP_MB);
    return runInThread(pool, task, closing.signal);
  }

  return {
    async convert(html, baseUrl) {
      if (closing.signal.aborted) {
        return closed();
      }
      // Checked here too, so that a huge page is not copied to a thread first. A text never has fewer bytes than characters.
      if (html.length > limits.inputBytes) {
        return fault("input_too_large", `more than ${limits.inputBytes} bytes of HTML`);
      }
      if (limit.activeCount + limit.pendingCount >= threads + maxQueued) {
        return fault("queue_full", `${maxQueued} pages were waiting to be converted`);
      }
      return limit(run, { html, baseUrl, limits });
    },
    async close() {
      closing.abort();
      const open = pool;
      pool = null;
      await open?.destroy();
    },
  };
}

function openPool(threads: number, heapMb: number): Tinypool {
  const pool = new Tinypool({
    runtime: "worker_threads",
    minThreads: 0,
    maxThreads: threads,
    // The queue is in front of the pool. This is for the short time between a page and its thread.
    maxQueue: threads,
    idleTimeout: IDLE_THREAD_MS,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    // The page's HTML is hostile and needs no environment variables, which may contain secrets.
    env: {},
    execArgv: [],
  });
  // The death of a thread without a page concerns no page. Without a listener it would end the process.
  pool.on("error", () => {});
  return pool;
}

/** Converts one page under its time limit. An abort ends the thread, even when it is busy. */
async function runInThread(pool: Tinypool, task: ConversionTask, closing: AbortSignal): Promise<ConversionOutcome> {
  const stop = new AbortController();
  const stopNow = (): void => stop.abort();
  // Of a process that stood still, what the thread has answered meanwhile comes before the end of the time.
  const timer = setTimeout(() => setImmediate(stopNow), task.limits.timeMs);
  closing.addEventListener("abort", stopNow, { once: true });
  try {
    return await runAgainIfLost(pool, task, stop.signal);
  } catch (error) {
    if (closing.aborted) {
      return closed();
    }
    if (stop.signal.aborted) {
      return fault("timed_out", `not converted within ${task.limits.timeMs} ms`);
    }
    // A thread that ran out of memory or died. The page keeps its HTML and gets the reason.
    return fault("worker_failed", String(error).slice(0, DETAIL_MAX_CHARS));
  } finally {
    clearTimeout(timer);
    closing.removeEventListener("abort", stopNow);
  }
}

/**
 * The pool gives a page to a thread that it is ending when this thread answers before its end: the page of the thread took too long, and this one
 * has nothing to do with it. Its own time goes on.
 */
async function runAgainIfLost(pool: Tinypool, task: ConversionTask, signal: AbortSignal): Promise<ConversionOutcome> {
  for (;;) {
    try {
      return await pool.run(task, { filename: workerFile(), name: "convertPage", signal });
    } catch (error) {
      if (signal.aborted || !(error instanceof Error && error.message === OF_ANOTHER_PAGE)) {
        throw error;
      }
    }
  }
}

/** The file beside this one, with the same extension, because Node also runs TypeScript in a thread. */
function workerFile(): string {
  const file = import.meta.url.endsWith(".ts") ? "./markdown-worker.ts" : "./markdown-worker.js";
  return fileURLToPath(new URL(file, import.meta.url));
}

function closed(): ConversionFault {
  return fault("closed", "the converter was closed");
}

function fault(reason: ConversionFailure, detail: string): ConversionFault {
  return { ok: false, reason, detail };
}
