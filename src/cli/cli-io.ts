/** What a command may touch of the process it runs in. Only main.ts makes the real one. */
import type { Clock } from "../time/clock.ts";

export interface TextSink {
  /** Resolves when the text is handed over. Rejects when it cannot be: a full disk behind a redirection. */
  write(text: string): Promise<void>;
  readonly isTerminal: boolean;
  /** Columns of the terminal; 80 where there is none. */
  readonly columns: () => number;
}

export interface CliIo {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  readonly clock: Clock;
  readonly version: string;
  /** LICET_DEBUG is set: bugs show their stack. */
  readonly debug: boolean;
  /** Calls back on each SIGINT and SIGTERM until the returned function is called. */
  onInterrupt(listener: (signal: "SIGINT" | "SIGTERM") => void): () => void;
  /** Ends the process at once: for the second Ctrl-C. */
  exit(code: number): void;
}
