/** Runs a program with one alert on its standard input. No shell is used. Exit code 0 means that it has been told. */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import type { AttemptLimits, Outgoing, Sent } from "./sent.ts";

/** So much of what the program prints goes to the debug log. */
const MAX_OUTPUT_BYTES = 4_096;

/** What is printed may come after the exit; a process that stays may hold the output open. */
const OUTPUT_GRACE_MS = 200;

export interface ProgramOptions extends AttemptLimits {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (text: string) => void;
}

export function runProgram(options: ProgramOptions, { id, body }: Outgoing): Promise<Sent> {
  const { command, env, timeoutMs, signal, onOutput } = options;
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    // A group of its own, so that what the program started ends with it.
    const child = spawn(program, args, { env: { ...env, LICET_ALERT_ID: id }, detached: true, stdio: "pipe" });
    const over = AbortSignal.any([AbortSignal.timeout(timeoutMs), signal]);
    const kill = () => killGroup(child.pid);
    over.addEventListener("abort", kill, { once: true });
    const printed = collectOutput(child);
    // A program need not read what it is told.
    child.stdin.on("error", () => {});
    child.stdin.end(body);
    const end = (sent: Sent) => {
      over.removeEventListener("abort", kill);
      // A process that left the group may hold them.
      child.stdout.destroy();
      child.stderr.destroy();
      const text = printed();
      if (text !== "") {
        onOutput(text);
      }
      resolve(sent);
    };
    child.on("error", (error: NodeJS.ErrnoException) =>
      end({ ok: false, error: `cannot be started (${error.code ?? "error"})` }),
    );
    child.on("exit", (code, by) => {
      const late = signal.aborted ? "licet stopped before it was done" : `not done within ${timeoutMs} ms`;
      const error = over.aborted ? late : `ended with ${code ?? by}`;
      const finish = () => end(code === 0 ? { ok: true } : { ok: false, error });
      const grace = setTimeout(finish, OUTPUT_GRACE_MS);
      child.on("close", () => {
        clearTimeout(grace);
        finish();
      });
    });
  });
}

function collectOutput(child: ChildProcessWithoutNullStreams): () => string {
  let printed = Buffer.alloc(0);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      printed = Buffer.concat([printed, chunk.subarray(0, MAX_OUTPUT_BYTES - printed.length)]);
    });
  }
  return () => printed.toString("utf8");
}

function killGroup(pid: number | undefined): void {
  try {
    process.kill(pid === undefined ? Number.NaN : -pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
