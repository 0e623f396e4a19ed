/** The command line in this process: takes arguments, streams and signals, and returns an exit code. */

import { fstatSync } from "node:fs";
import { packageVersion } from "../package-directory.ts";
import { systemClock } from "../time/clock.ts";
import type { CliIo, TextSink } from "./cli-io.ts";
import { runCli } from "./run-cli.ts";
import { boundHeap } from "./start/heap.ts";

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

const io: CliIo = {
  cwd: process.cwd(),
  env: process.env,
  get stdin() {
    return process.stdin;
  },
  stdout: toSink(process.stdout, 1),
  stderr: toSink(process.stderr, 2),
  clock: systemClock,
  version: packageVersion(),
  debug: (process.env.LICET_DEBUG ?? "") !== "",
  onInterrupt: (listener) => {
    process.on("SIGINT", listener);
    process.on("SIGTERM", listener);
    return () => {
      process.off("SIGINT", listener);
      process.off("SIGTERM", listener);
    };
  },
  exit: (code) => process.exit(code),
};

boundHeap();
process.exit(await runCli(io, process.argv.slice(2)));

function toSink(stream: NodeJS.WriteStream, fd: number): TextSink {
  // Write errors arrive in the callback of `write`. Without a listener they would also end the process.
  stream.on("error", () => undefined);
  let isClosed = false;
  return {
    isClosed: () => isClosed,
    isTerminal: stream.isTTY === true,
    isJournal: isJournal(fd),
    // Some terminals report 0 when they do not know their width.
    columns: () => (stream.columns > 0 ? stream.columns : DEFAULT_COLUMNS),
    rows: () => (stream.rows > 0 ? stream.rows : DEFAULT_ROWS),
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => {
          // The reader has closed the pipe (`licet history | head`), which is not a failure.
          isClosed ||= (error as NodeJS.ErrnoException | null | undefined)?.code === "EPIPE";
          error == null || isClosed ? resolve() : reject(error);
        });
      }),
  };
}

/**
 * systemd names the device and the inode of the stream that it reads. A program whose stderr was redirected since inherits the
 * variable, but not the stream.
 */
function isJournal(fd: number): boolean {
  const { JOURNAL_STREAM: named } = process.env;
  if (named === undefined || named === "") {
    return false;
  }
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return named === `${dev}:${ino}`;
  } catch {
    // The stream is closed.
    return false;
  }
}
