/** `licet serve` as a process of its own, so that it can be killed. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export interface ServiceProcess {
  /** Resolves when it listens. Rejects when it ends before. */
  readonly ready: Promise<void>;
  /** Ends it with a signal, and waits. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null>;
}

export interface ServiceProcessOptions {
  /** The path of licet-at.ts. */
  readonly program: string;
  readonly aheadMs: number;
  readonly configFile: string;
  /** Called with each warning that it logs. */
  readonly onWarning: (message: string) => void;
}

/** pino's level of a warning. */
const WARNING = 40;

export function startServiceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { program, aheadMs, configFile, onWarning } = options;
  const child = spawn(process.execPath, [program, String(aheadMs), "serve", "--json", "--config", configFile], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  return {
    ready: untilListening(child, exited, onWarning),
    end: async (signal) => {
      child.kill(signal);
      const [code] = await exited;
      return code;
    },
  };
}

async function untilListening(
  child: ChildProcess,
  exited: Promise<unknown>,
  onWarning: (message: string) => void,
): Promise<void> {
  const listening = new Promise<void>((resolve) => {
    if (child.stderr !== null) {
      createInterface({ input: child.stderr }).on("line", (line) => {
        const { level, message } = readLine(line);
        if (message.includes("listens on")) {
          resolve();
        }
        if (level >= WARNING) {
          onWarning(message);
        }
      });
    }
  });
  const failed = exited.then(() => {
    throw new Error("licet serve ended before it was ready");
  });
  await Promise.race([listening, failed]);
  failed.catch(() => undefined);
}

function readLine(line: string): { readonly level: number; readonly message: string } {
  try {
    const { level, msg } = JSON.parse(line);
    return { level: Number(level), message: String(msg) };
  } catch {
    return { level: WARNING, message: line };
  }
}
