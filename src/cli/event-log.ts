/** Lines about what happens, on stderr: sentences for people, pino's JSON lines beside `--json`. */
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
  // Nobody is left to tell when stderr itself is gone.
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
