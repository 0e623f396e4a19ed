/**
 * Shows the progress of long work on stderr. On a terminal it is one line, redrawn in place at most four times a second.
 * Elsewhere, and with `--debug`, it is a log line every few seconds, and only when something has changed. Other lines go through
 * `log`, so that they do not mix with the progress line.
 */

import { plainText } from "../../plain-text.ts";
import type { CliIo } from "../cli-io.ts";
import { createEventLog, type EventLog, filterLog } from "../log/event-log.ts";
import type { LogOptions } from "../log/log-level.ts";
import { createPace } from "./pace.ts";
import { formatProgress, formatRetry, type ProgressSource } from "./progress-text.ts";

const REDRAW_MS = 250;
const LOG_LINE_MS = 5_000;
/** Moves to the first column and clears the line. */
export const CLEAR_LINE = "\r\u001b[2K";
/** The last column, and the `^C` that a terminal prints after the line. A line that wraps could not be cleared. */
const FREE_COLUMNS = 3;

export interface Progress {
  /** Prints other lines beside the progress line. */
  readonly log: EventLog;
  /** Removes the progress line now, for a process that ends at once. It does not come back. */
  clear(): void;
  /** Removes the progress line. */
  stop(): Promise<void>;
}

export function startProgress(io: CliIo, source: ProgressSource, options: LogOptions): Progress {
  const { json, level } = options;
  if (level === "error" || level === "warn") {
    return { log: createEventLog(io, options), clear: () => {}, stop: async () => {} };
  }
  return io.stderr.isTerminal && !json && level !== "debug"
    ? startLine(io, source)
    : startLogLines(io, source, options);
}

function startLine(io: CliIo, source: ProgressSource): Progress {
  const pace = createPace(source.limits);
  let drawn = "";
  let isOver = false;
  const write = (text: string) => void io.stderr.write(text).catch(() => undefined);
  const draw = () => {
    const now = io.clock.now();
    const line = formatProgress(source, pace(source.counts, now), { now, width: io.stderr.columns() - FREE_COLUMNS });
    if (line !== drawn && !isOver) {
      write(CLEAR_LINE + line);
      drawn = line;
    }
  };
  const clear = () => {
    if (!isOver) {
      isOver = true;
      drawn = "";
      write(CLEAR_LINE);
    }
  };
  draw();
  const ticking = tick(io, REDRAW_MS, draw);
  return {
    log: filterLog("info", (message) => write(`${CLEAR_LINE}licet: ${plainText(message)}\n${drawn}`)),
    clear,
    stop: async () => {
      await ticking.stop();
      clear();
    },
  };
}

function startLogLines(io: CliIo, source: ProgressSource, options: LogOptions): Progress {
  const log = createEventLog(io, options);
  const pace = createPace(source.limits);
  let last = "";
  const ticking = tick(io, LOG_LINE_MS, () => {
    const { runId, seen, approved, denied, bought, failed, inDoubt, done, total, retry } = source.counts;
    const now = io.clock.now();
    const state = JSON.stringify([runId, seen, approved, denied, bought, failed, inDoubt, retry]);
    const speed = pace(source.counts, now);
    if (state === last) {
      return;
    }
    last = state;
    const { pagesPerSecond, leftMs } = speed;
    const message = options.json ? "progress" : formatProgress(source, speed, { now });
    const shown = retry === null ? null : formatRetry(retry, now);
    const counts = { seen, approved, denied, bought, failed, inDoubt, done, total };
    log.info(message, { runId, ...counts, pagesPerSecond, leftMs, retry: shown });
  });
  return { log, clear: () => {}, stop: () => ticking.stop() };
}

/** Calls `call` every `everyMs` until stopped. Work that ends before the first call shows no progress. */
function tick(io: CliIo, everyMs: number, call: () => void): { stop(): Promise<void> } {
  const controller = new AbortController();
  const loop = async () => {
    for (;;) {
      await io.clock.sleep(everyMs, controller.signal);
      if (controller.signal.aborted) {
        return;
      }
      call();
    }
  };
  const ended = loop();
  return {
    stop: async () => {
      controller.abort();
      await ended;
    },
  };
}
