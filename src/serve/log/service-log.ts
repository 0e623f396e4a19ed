/** The log of the service. The command line decides how it is written. */
export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface ServiceLog {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
}
