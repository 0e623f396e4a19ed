/** Runs a program with one alert on its standard input. No shell is used. Exit code 0 means that it has been told. */
import { spawn } from "node:child_process";
import type { Outgoing, Sent } from "./sent.ts";

/** So much of what the program prints goes to the debug log. */
const MAX_OUTPUT_BYTES = 4_096;

export interface ProgramOptions {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly onOutput: (text: string) => void;
}

export function runProgram(
  { command, env, timeoutMs, onOutput }: ProgramOptions,
  { id, body }: Outgoing,
): Promise<Sent> {
  const [program = "", ...args] = command;
  return new Promise((resolve) => {
    // A group of its own, so that what the program started ends with it.
    const child = spawn(program, args, { env: { ...env, LICET_ALERT_ID: id }, detached: true, stdio: "pipe" });
    let printed = Buffer.alloc(0);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killGroup(child.pid);
      // A process that left the group may hold the pipes: they are not waited for.
      child.stdout.destroy();
      child.stderr.destroy();
    }, timeoutMs);
    const collect = (chunk: Buffer) => {
      printed = Buffer.concat([printed, chunk.subarray(0, MAX_OUTPUT_BYTES - printed.length)]);
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    // A program need not read what it is told.
    child.stdin.on("error", () => {});
    child.stdin.end(body);
    const end = (sent: Sent) => {
      clearTimeout(timer);
      if (printed.length > 0) {
        onOutput(printed.toString("utf8"));
      }
      resolve(sent);
    };
    child.on("error", (error: NodeJS.ErrnoException) =>
      end({ ok: false, error: `cannot be started (${error.code ?? "error"})` }),
    );
    child.on("exit", (code, signal) => {
      if (code === 0) {
        end({ ok: true });
      } else {
        end({ ok: false, error: isLate ? `not done within ${timeoutMs} ms` : `ended with ${code ?? signal}` });
      }
    });
  });
}

function killGroup(pid: number | undefined): void {
  try {
    process.kill(pid === undefined ? Number.NaN : -pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
