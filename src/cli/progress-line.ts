/**
 * Shows the progress of long work on stderr. On a terminal it is one line, redrawn in place at most four times a second.
 * Elsewhere it is a log line every few seconds, and only when something has changed. Other lines go through `log`, so that they
 * do not mix with the progress line.
 */
import { formatMoney } from "../money/format-money.ts";
import type { Micros } from "../money/micros.ts";
import { addMicros, ZERO_MICROS } from "../money/micros.ts";
import type { Currency } from "../money/money.ts";
import type { CliIo } from "./cli-io.ts";
import { createEventLog, type EventLog } from "./event-log.ts";
import { plainText } from "./plain-text.ts";
import type { ProgressCounts } from "./progress-counts.ts";

const REDRAW_MS = 250;
const LOG_LINE_MS = 5_000;
/** The time window for pages per second. */
const RATE_WINDOW_MS = 10_000;
const MS_PER_SECOND = 1_000;
/** Moves to the first column and clears the line. */
const CLEAR_LINE = "\r\u001b[2K";

export interface ProgressSource {
  readonly counts: ProgressCounts;
  /** The limits that the spend is shown with. */
  limits(): ReadonlyMap<Currency, Micros>;
}

export interface Progress {
  /** Prints other lines beside the progress line. */
  readonly log: EventLog;
  /** Removes the progress line. */
  stop(): Promise<void>;
}

export function startProgress(io: CliIo, source: ProgressSource, json: boolean): Progress {
  return io.stderr.isTerminal && !json ? startLine(io, source) : startLogLines(io, source, json);
}

function startLine(io: CliIo, source: ProgressSource): Progress {
  const rate = createRate();
  let drawn = "";
  const write = (text: string) => void io.stderr.write(text).catch(() => undefined);
  const draw = () => {
    const text = formatProgress(source, rate(source.counts.acquired, io.clock.now()));
    const line = Array.from(text)
      .slice(0, io.stderr.columns() - 1)
      .join("");
    if (line !== drawn) {
      write(CLEAR_LINE + line);
      drawn = line;
    }
  };
  draw();
  const ticking = tick(io, REDRAW_MS, draw);
  const say = (message: string) => {
    write(`${CLEAR_LINE}licet: ${plainText(message)}\n${drawn}`);
  };
  return {
    log: { info: say, warn: say },
    stop: async () => {
      await ticking.stop();
      write(CLEAR_LINE);
    },
  };
}

function startLogLines(io: CliIo, source: ProgressSource, json: boolean): Progress {
  const log = createEventLog(io, json);
  const rate = createRate();
  let last = "";
  const ticking = tick(io, LOG_LINE_MS, () => {
    const { runId, seen, approved, denied, acquired, failed, inDoubt } = source.counts;
    const state = JSON.stringify([runId, seen, approved, denied, acquired, failed, inDoubt]);
    const pagesPerSecond = rate(acquired, io.clock.now());
    if (state !== last) {
      last = state;
      const message = json ? "progress" : formatProgress(source, pagesPerSecond);
      log.info(message, { runId, seen, approved, denied, acquired, failed, inDoubt, pagesPerSecond });
    }
  });
  return { log, stop: () => ticking.stop() };
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

/** `1200 seen · 430 pages · 52.1/s · 1.20 of 5.00 USD · 2 in doubt`: fits a terminal of 80 columns. */
export function formatProgress({ counts, limits }: ProgressSource, pagesPerSecond: number): string {
  if (counts.runId === null) {
    // A plan has no run, and its result is known only at its end.
    return counts.seen === 0 ? "starting …" : `${counts.seen} seen`;
  }
  const parts = [
    `${counts.seen} seen`,
    `${counts.acquired} pages`,
    `${pagesPerSecond.toFixed(1)}/s`,
    ...formatSpendAgainst(counts, limits()),
    `${counts.inDoubt} in doubt`,
    ...(counts.failed > 0 ? [`${counts.failed} failed`] : []),
  ];
  return plainText(parts.join(" · "));
}

function formatSpendAgainst(counts: ProgressCounts, limits: ReadonlyMap<Currency, Micros>): string[] {
  const currencies = new Set([...counts.spent.keys(), ...counts.doubtful.keys(), ...limits.keys()]);
  return [...currencies].map((currency) => {
    const micros = addMicros(counts.spent.get(currency) ?? ZERO_MICROS, counts.doubtful.get(currency) ?? ZERO_MICROS);
    const limit = limits.get(currency);
    const spent = formatMoney({ micros, currency });
    return limit === undefined
      ? spent
      : `${spent.slice(0, -currency.length - 1)} of ${formatMoney({ micros: limit, currency })}`;
  });
}

/** @returns pages per second over the last RATE_WINDOW_MS, from the count at each call */
function createRate(): (count: number, now: number) => number {
  const samples: { count: number; at: number }[] = [];
  return (count, now) => {
    samples.push({ count, at: now });
    while (samples.length > 2 && (samples[0]?.at ?? now) < now - RATE_WINDOW_MS) {
      samples.shift();
    }
    const first = samples[0] ?? { count, at: now };
    return now === first.at ? 0 : ((count - first.count) * MS_PER_SECOND) / (now - first.at);
  };
}
