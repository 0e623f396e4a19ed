/** Writes log lines to stderr: sentences for people, or pino's JSON lines with `--json`. */
import { pino } from "pino";
import type { CliIo } from "./cli-io.ts";
import { isLogged, type LogLevel, type LogOptions } from "./log-level.ts";
import { plainText } from "./plain-text.ts";
import { escapeRaw } from "./safe-json.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface EventLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
}

export function createEventLog(io: CliIo, { json, level }: LogOptions): EventLog {
  // When stderr itself is gone, nobody can be told.
  const write = (text: string) => void io.stderr.write(text).catch(() => undefined);
  if (!json) {
    return filterLog(level, (message) => write(`licet: ${plainText(message)}\n`));
  }
  const logger = pino(
    { level, base: null, timestamp: () => `,"time":"${new Date(io.clock.now()).toISOString()}"` },
    { write: (line: string) => write(escapeRaw(line)) },
  );
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
  };
}

/** Leaves out what is below the level. */
export function filterLog(level: LogLevel, say: (message: string) => void): EventLog {
  const sayFrom = (own: LogLevel) => (isLogged(own, level) ? say : () => {});
  return { debug: sayFrom("debug"), info: sayFrom("info"), warn: sayFrom("warn") };
}
