/**
 * The command line in this process: arguments, environment, standard input and signals go in, exit code and text come out, as a shell
 * would see them. A process of its own (cli-process.ts) costs some half a second of processor time more; only a test of a process pays it.
 */
import type { CliIo, TextSink } from "../../src/cli/cli-io.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { systemClock } from "../../src/time/clock.ts";
import { PATIENCE } from "./patience.ts";

export interface CliEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliPlace {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /** Whether stdout and stderr are a terminal. @default false */
  readonly isTerminal?: boolean;
  /** @default 80 */
  readonly columns?: number;
  /** What each write to stdout fails with. */
  readonly stdoutFails?: Error;
}

export interface CliHere {
  readonly end: Promise<CliEnd>;
  /** Resolves when stdout matches. Rejects when the command ends without. */
  waitFor(pattern: RegExp): Promise<string>;
  /** As Ctrl-C or an operator would. */
  interrupt(signal: "SIGINT" | "SIGTERM"): void;
  /** Resolves when stderr matches. Rejects when the command ends without. */
  whenSaid(pattern: RegExp): Promise<string>;
  /** Resolves when all work is over: later than `end` when the command ended the process at once, which cannot end this one. */
  readonly over: Promise<unknown>;
}

type Listener = Parameters<CliIo["onInterrupt"]>[0];

export function startCliHere(args: readonly string[], place: CliPlace): CliHere {
  const { cwd, env = {}, input = "", isTerminal = false, columns = 80, stdoutFails } = place;
  const written = { stdout: "", stderr: "" };
  const listeners = new Set<Listener>();
  const looks = new Set<() => unknown>();
  let exit: (code: number) => void = () => {};
  const exited = new Promise<number>((resolve) => {
    exit = resolve;
  });
  const sink = (name: keyof typeof written): TextSink => ({
    isTerminal,
    columns: () => columns,
    write: async (text) => {
      if (name === "stdout" && stdoutFails !== undefined) {
        throw stdoutFails;
      }
      written[name] += text;
      for (const look of looks) {
        look();
      }
    },
  });
  const io: CliIo = {
    cwd,
    env,
    stdin: (async function* () {
      yield Buffer.from(input);
    })(),
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    clock: systemClock,
    version: "0.0.0",
    debug: false,
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: (code) => exit(code),
  };
  const over = runCli(io, args);
  // Whatever hangs fails.
  const end = within(PATIENCE.timeout, Promise.race([over, exited]), args).then((code) => ({ code, ...written }));
  const when = (name: keyof typeof written) => (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(written[name]);
        return match !== null && resolve(match[0]);
      };
      looks.add(look);
      end.then(() => reject(new Error(`ended without ${pattern}:\n${written.stdout}\n${written.stderr}`)), reject);
      look();
    });
  return {
    end,
    over,
    waitFor: when("stdout"),
    whenSaid: when("stderr"),
    interrupt: (signal) => {
      for (const listener of [...listeners]) {
        listener(signal);
      }
    },
  };
}

export function cliHere(args: readonly string[], place: CliPlace): Promise<CliEnd> {
  return startCliHere(args, place).end;
}

async function within<Result>(ms: number, work: Promise<Result>, args: readonly string[]): Promise<Result> {
  const done = new AbortController();
  const late = systemClock.sleep(ms, done.signal).then(() => {
    if (!done.signal.aborted) {
      throw new Error(`licet ${args.join(" ").slice(0, 200)} hung`);
    }
  });
  try {
    return (await Promise.race([work, late])) as Result;
  } finally {
    done.abort();
  }
}
