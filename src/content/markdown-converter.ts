/**
 * Converts pages in worker threads, so that the thread that talks to the gateway and the ledger never waits for a page,
 * and a page that runs away can be stopped: its thread is ended and the next page gets a new one. Whatever happens is
 * an outcome. Threads start with the first page and end when idle; they keep no process alive.
 */
import { fileURLToPath } from "node:url";
import pLimit from "p-limit";
import { Tinypool } from "tinypool";
import type { ConversionFailure, ConversionFault, ConversionOutcome } from "./conversion.ts";
import { type ConversionLimits, DEFAULT_CONVERSION_LIMITS } from "./conversion-limits.ts";
import type { ConversionTask } from "./markdown-worker.ts";

export interface MarkdownConverter {
  /** Derives Markdown from HTML; never rejects. After `close` the answer is the fault `closed`. */
  convert(html: string, baseUrl: string): Promise<ConversionOutcome>;
  /** Ends the threads at once; pages under way or waiting get the fault `closed`. A second call does nothing more. */
  close(): Promise<void>;
}

export interface MarkdownConverterOptions {
  /** Pages converted at the same time. @default 2 */
  readonly threads?: number;
  /** @default DEFAULT_CONVERSION_LIMITS, each by itself */
  readonly limits?: Partial<ConversionLimits>;
  /** Pages that may wait for a thread; one more gets the fault `queue_full`. @default 256 */
  readonly maxQueued?: number;
  /** Heap of one thread in MB; a page that needs more gets the fault `worker_failed`. @default 256 */
  readonly threadHeapMb?: number;
}

const DEFAULT_THREADS = 2;
/** Above what the gateway's default concurrency (64) can hand over at a time, and with 50 kB pages some 13 MB. */
const DEFAULT_MAX_QUEUED = 256;
/** A page at the input limit parses to some 100 MB. */
const DEFAULT_THREAD_HEAP_MB = 256;
/** Starting a thread costs about 100 ms, so it outlives the pauses of a crawl. */
const IDLE_THREAD_MS = 10_000;
const DETAIL_MAX_CHARS = 200;

/** Builds a converter; no thread is started before the first page. */
export function createMarkdownConverter(options: MarkdownConverterOptions = {}): MarkdownConverter {
  const limits: ConversionLimits = { ...DEFAULT_CONVERSION_LIMITS, ...options.limits };
  const threads = options.threads ?? DEFAULT_THREADS;
  const maxQueued = options.maxQueued ?? DEFAULT_MAX_QUEUED;
  // The pool is never given more than its threads can run: a page's time starts when its thread does, and a page that
  // waited inside the pool would be left there when the thread it waited for is ended.
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
      // Checked here too, so that an absurd page is not copied to a thread first. No text has fewer bytes than characters.
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
    // The queue is in front of the pool; this is room for the moment between a page and its thread.
    maxQueue: threads,
    idleTimeout: IDLE_THREAD_MS,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
    // The page's HTML is hostile and needs nothing of ours: least of all the secrets in the environment.
    env: {},
    execArgv: [],
  });
  // A thread that dies with no page in hand concerns no page. Without a listener it would end the process.
  pool.on("error", () => {});
  return pool;
}

/** Runs one page under its time limit. Aborting ends the thread, however busy. */
async function runInThread(pool: Tinypool, task: ConversionTask, closing: AbortSignal): Promise<ConversionOutcome> {
  const stop = new AbortController();
  const stopNow = (): void => stop.abort();
  const timer = setTimeout(stopNow, task.limits.timeMs);
  closing.addEventListener("abort", stopNow, { once: true });
  try {
    return await pool.run(task, { filename: workerFile(), name: "convertPage", signal: stop.signal });
  } catch (error) {
    if (closing.aborted) {
      return closed();
    }
    if (stop.signal.aborted) {
      return fault("timed_out", `not converted within ${task.limits.timeMs} ms`);
    }
    // A thread that ran out of memory or died: the page keeps its HTML and the reason.
    return fault("worker_failed", String(error).slice(0, DETAIL_MAX_CHARS));
  } finally {
    clearTimeout(timer);
    closing.removeEventListener("abort", stopNow);
  }
}

/** Beside this file, in whichever form this file is: Node runs TypeScript in a thread too. */
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
