/** The parts of the process that a command may use. Only main.ts creates the real ones. */
import type { Clock } from "../time/clock.ts";

export interface TextSink {
  /** Resolves when the text was written. Rejects when it cannot be written: a full disk behind a redirection. */
  write(text: string): Promise<void>;
  /** True when the reader of a pipe has closed it. What is written then is lost without an error. */
  readonly isClosed?: () => boolean;
  readonly isTerminal: boolean;
  /** True when the journal of systemd reads it. */
  readonly isJournal?: boolean;
  /** Columns of the terminal; 80 without a terminal. */
  readonly columns: () => number;
  /** Rows of the terminal; 24 without it. */
  readonly rows?: () => number;
}

export interface CliIo {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly clock: Clock;
  readonly version: string;
  /** True when LICET_DEBUG is set: bugs then show their stack. */
  readonly debug: boolean;
  /** Calls the listener on each SIGINT and SIGTERM until the returned function is called. */
  onInterrupt(listener: (signal: "SIGINT" | "SIGTERM") => void): () => void;
  /** Ends the process at once, for the second Ctrl-C. */
  exit(code: number): void;
}
