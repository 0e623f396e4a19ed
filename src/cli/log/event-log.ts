/** Writes log lines to stderr: sentences for people, or JSON lines for programs, in the form of pino and Bunyan. */
import { plainText } from "../../plain-text.ts";
import type { CliIo } from "../cli-io.ts";
import { escapeRaw } from "../output/safe-json.ts";
import { isLogged, type LogLevel, type LogOptions } from "./log-level.ts";

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface EventLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
}

/** An error that ends a service is a line of its log too. Other commands print it (print-error.ts). */
export interface ServiceEventLog extends EventLog {
  error(message: string, fields?: LogFields): void;
}

/** The journal of systemd reads the priority of a line from its beginning, and removes it: `<4>licet: …`. */
const JOURNAL_PRIORITIES: Readonly<Record<LogLevel, string>> = { error: "<3>", warn: "<4>", info: "<6>", debug: "<7>" };

/** The numbers that programs know from pino. */
const NUMBERS: Readonly<Record<LogLevel, number>> = { error: 50, warn: 40, info: 30, debug: 20 };

export function createEventLog(io: CliIo, { json, level }: LogOptions): ServiceEventLog {
  const write = (own: LogLevel, text: string) =>
    // When stderr itself is gone, nobody can be told.
    void io.stderr.write(`${journalPriority(io, own)}${text}`).catch(() => undefined);
  if (!json) {
    return filterLog(level, (message, own) => write(own, `licet: ${plainText(message)}\n`));
  }
  return filterLog(level, (message, own, fields) => {
    const time = new Date(io.clock.now()).toISOString();
    const line = JSON.stringify({ level: NUMBERS[own], time, ...fields, msg: message });
    write(own, escapeRaw(`${line}\n`));
  });
}

/** Empty where nobody reads it. */
export function journalPriority({ stderr }: Pick<CliIo, "stderr">, level: LogLevel): string {
  return stderr.isJournal === true ? JOURNAL_PRIORITIES[level] : "";
}

/** Leaves out what is below the level. */
export function filterLog(
  level: LogLevel,
  say: (message: string, own: LogLevel, fields: LogFields | undefined) => void,
): ServiceEventLog {
  const at = (own: LogLevel) =>
    isLogged(own, level) ? (message: string, fields?: LogFields) => say(message, own, fields) : () => {};
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}
