/** The command line in this process, as a shell would run it: with an environment, standard input and a directory of its own. */
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
  readonly stdin?: string | Uint8Array;
}

/** Far more than any command of these tests needs: whatever hangs fails. */
const MAX_MS = 30_000;

export async function cli(args: readonly string[], { cwd, env = {}, stdin = "" }: CliPlace): Promise<CliEnd> {
  const out: string[] = [];
  const err: string[] = [];
  const io: CliIo = {
    cwd,
    env,
    stdin: (async function* () {
      yield Buffer.from(stdin);
    })(),
    stdout: toSink(out),
    stderr: toSink(err),
    clock: systemClock,
    version: "0.0.0",
    debug: false,
    onInterrupt: () => () => undefined,
    exit: (code) => {
      throw new Error(`the process would have ended with ${code}`);
    },
  };
  const late = new AbortController();
  const deadline = systemClock.sleep(MAX_MS, late.signal).then(() => "late" as const);
  const code = await Promise.race([runCli(io, args), deadline]);
  late.abort();
  if (code === "late") {
    throw new Error(`licet ${args.join(" ").slice(0, 200)} hung`);
  }
  return { code, stdout: out.join(""), stderr: err.join("") };
}

function toSink(written: string[]): TextSink {
  return {
    isTerminal: false,
    columns: () => 80,
    write: async (text) => {
      written.push(text);
    },
  };
}

/** What was said of an error, in the form for people: its first line and its hint, and nothing that looks like a stack. */
export function isPlainError({ stderr }: CliEnd): boolean {
  return (
    /^licet: \S/.test(stderr) &&
    /^ {2}hint: \S/m.test(stderr) &&
    !/^\s+at .*[:(]\d+/m.test(stderr) &&
    !/BUG|bug in licet/.test(stderr)
  );
}
