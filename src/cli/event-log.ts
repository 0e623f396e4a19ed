/** Writes log lines to stderr: sentences for people, or pino's JSON lines with `--json`. */
import { pino } from "pino";
import type { CliIo } from "./cli-io.ts";
import { plainText } from "./plain-text.ts";
import { escapeRaw } from "./safe-json.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface EventLog {
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
}

export function createEventLog(io: CliIo, json: boolean): EventLog {
  // When stderr itself is gone, nobody can be told.
  const write = (text: string) => void io.stderr.write(text).catch(() => undefined);
  if (!json) {
    const say = (message: string) => write(`licet: ${plainText(message)}\n`);
    return { info: say, warn: say };
  }
  const logger = pino(
    { base: null, timestamp: () => `,"time":"${new Date(io.clock.now()).toISOString()}"` },
    { write: (line: string) => write(escapeRaw(line)) },
  );
  return {
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
  };
}
