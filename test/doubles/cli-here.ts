/**
 * The command line in this process: arguments, environment, standard input and signals go in, exit code and text come out, as a shell
 * would see them. A process of its own (cli-process.ts) costs some half a second of processor time more; only a test of a process pays it.
 */
import type { CliIo, TextSink } from "../../src/cli/cli-io.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { systemClock } from "../../src/time/clock.ts";

export interface CliEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliPlace {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
}

export interface CliHere {
  readonly end: Promise<CliEnd>;
  /** Resolves when stdout matches. Rejects when the command ends without. */
  waitFor(pattern: RegExp): Promise<string>;
  /** As Ctrl-C or an operator would. */
  interrupt(signal: "SIGINT" | "SIGTERM"): void;
}

type Listener = Parameters<CliIo["onInterrupt"]>[0];

/** Far more than any command of these tests needs: whatever hangs fails. */
const MAX_MS = 50_000;

export function startCliHere(args: readonly string[], { cwd, env = {}, input = "" }: CliPlace): CliHere {
  const written = { stdout: "", stderr: "" };
  const listeners = new Set<Listener>();
  let look = () => undefined as unknown;
  const sink = (name: keyof typeof written): TextSink => ({
    isTerminal: false,
    columns: () => 80,
    write: async (text) => {
      written[name] += text;
      look();
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
    exit: (code) => {
      throw new Error(`the process would have ended with ${code}`);
    },
  };
  const end = within(MAX_MS, runCli(io, args), args).then((code) => ({ code, ...written }));
  return {
    end,
    waitFor: (pattern) =>
      new Promise((resolve, reject) => {
        look = () => {
          const match = pattern.exec(written.stdout);
          return match !== null && resolve(match[0]);
        };
        end.then(() => reject(new Error(`ended without ${pattern}:\n${written.stdout}\n${written.stderr}`)), reject);
        look();
      }),
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
