/** The command line in this process: faster than a process of its own, and without its signals. */
import type { CliIo, TextSink } from "../../src/cli/cli-io.ts";
import { runCli } from "../../src/cli/run-cli.ts";
import { systemClock } from "../../src/time/clock.ts";

export interface LocalResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runLocalCli(
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: CliIo["env"] },
): Promise<LocalResult> {
  const text = { stdout: "", stderr: "" };
  const sink = (name: keyof typeof text): TextSink => ({
    isTerminal: false,
    columns: () => 120,
    write: async (part) => {
      text[name] += part;
    },
  });
  const io: CliIo = {
    cwd,
    env,
    stdin: (async function* () {})(),
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    clock: systemClock,
    version: "0.0.0",
    debug: false,
    onInterrupt: () => () => {},
    exit: () => {},
  };
  const code = await runCli(io, args);
  return { code, ...text };
}
