/**
 * The ledgers that the browser looks at: a month of real runs takes some seconds, so it is made once for the whole lane, beside whatever else is
 * tested.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestProject } from "vitest/node";

const MAKE_MONTH = fileURLToPath(new URL("../../demo/make-month.ts", import.meta.url));

/** The last morning of the month, for all who look at it: no page and no picture depends on the day of the test. */
const MORNING = Date.UTC(2026, 5, 29, 7, 10);
/** So long before it the month ends by its own clock: it is over in the morning, however slow the machine is. */
const PUBLISHED = MORNING - 10 * 60_000;

declare module "vitest" {
  interface ProvidedContext {
    readonly browserLedgers: BrowserLedgers;
  }
}

export interface BrowserLedgers {
  /** Where the month is when it is made: a directory with a configuration and a ledger. Or the file `failed` beside it. */
  readonly month: string;
  /** Of the day on which the month has ended, epoch ms. */
  readonly morning: number;
  /** What the sites publish was published until then, epoch ms. */
  readonly published: number;
}

export interface MakingLedgers {
  readonly ledgers: BrowserLedgers;
  /** Ends the making, if it is not over, and removes the ledgers. */
  remove(): Promise<void>;
}

export function startMakingLedgers(): MakingLedgers {
  const directory = mkdtempSync(join(tmpdir(), "licet-browser-"));
  const making = join(directory, "making");
  const month = join(directory, "month");
  mkdirSync(making);
  const child = spawn(process.execPath, [MAKE_MONTH, making, String(PUBLISHED - Date.now())], {
    stdio: "inherit",
  });
  const made = new Promise<void>((resolve) => {
    child.on("exit", (code) => {
      resolve(code === 0 ? rename(making, month) : writeFile(join(directory, "failed"), `it ended with ${code}`));
    });
  });
  return {
    ledgers: { month, morning: MORNING, published: PUBLISHED },
    remove: async () => {
      child.kill("SIGKILL");
      await made;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export default function makeLedgers({ provide }: TestProject): () => Promise<void> {
  const { ledgers, remove } = startMakingLedgers();
  provide("browserLedgers", ledgers);
  return remove;
}
