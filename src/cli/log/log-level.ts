/** From few lines to many. An error that ends a command is always printed (print-error.ts). */
export const LOG_LEVELS = ["error", "warn", "info", "debug"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface LogOptions {
  readonly json: boolean;
  readonly level: LogLevel;
}

/** Whether a line of this level is logged. */
export function isLogged(own: LogLevel, level: LogLevel): boolean {
  return LOG_LEVELS.indexOf(own) <= LOG_LEVELS.indexOf(level);
}
