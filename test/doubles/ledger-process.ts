import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";

interface Answer {
  readonly id: string;
  readonly result?: unknown;
  readonly failure?: { readonly code: string | null; readonly message: string };
}

export interface LedgerProcess {
  /** The ledger in the other process; calls whose answer has not come when it is killed stay pending for ever. */
  readonly ledger: Ledger;
  /** SIGKILL: no handler runs. Resolves when the process is gone. */
  kill(): Promise<void>;
}

/** A real process with a ledger of its own on the same file, from the compiled code. */
export async function startLedgerProcess(path: string): Promise<LedgerProcess> {
  const child = fork(join(import.meta.dirname, "ledger-process.mjs"), [path], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  // Not `once`, which also ends with an error: a call on its way when the process is killed meets a broken pipe.
  const gone = new Promise<[number | null]>((resolve) => child.once("exit", (code) => resolve([code])));
  const kill = async () => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(kill);
  const [ready] = (await Promise.race([once(child, "message"), gone])) as [Answer | number | null];
  if (typeof ready !== "object" || ready?.id !== "ready") {
    throw new Error("the ledger process did not start: build first");
  }
  return { ledger: createRemoteLedger(child), kill };
}

function createRemoteLedger(child: ChildProcess): Ledger {
  const waiting = new Map<string, (answer: Answer) => void>();
  let calls = 0;
  child.on("message", (message: Answer) => {
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  const call = (method: string, args: unknown[]) =>
    new Promise((resolve, reject) => {
      const id = String(calls++);
      waiting.set(id, ({ result, failure }) => {
        if (failure === undefined) {
          resolve(result);
        } else {
          reject(Object.assign(new Error(failure.message), failure));
        }
      });
      // An ended process sends no answer: the call stays pending.
      child.send({ id, method, args }, () => {});
    });
  // A promise that resolves with a proxy asks it for `then`.
  return new Proxy({} as Ledger, {
    get: (_, method) => (method === "then" ? undefined : (...args: unknown[]) => call(String(method), args)),
  });
}
