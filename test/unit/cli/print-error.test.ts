import { expect, test } from "vitest";
import type { CliIo } from "../../../src/cli/cli-io.ts";
import { printError } from "../../../src/cli/output/print-error.ts";
import { LicetError } from "../../../src/errors.ts";

async function print(error: unknown, debug: boolean): Promise<string> {
  let printed = "";
  const write = async (text: string) => {
    printed += text;
  };
  const stderr = { write, isTerminal: false, columns: () => 80 };
  await printError({ stdout: stderr, stderr } as unknown as CliIo, error, { json: false, debug, failure: {} });
  return printed;
}

test.each([
  ["an operating error", new LicetError("RUN_NOT_FOUND", "there is no run run_1", { details: { runId: "run_1" } })],
  ["a bug", new Error("bug: a page has no site")],
])("shows the stack of an error only when it is asked for: %s", async (_name, error) => {
  const stack = /^\s+at .*print-error\.test\.ts/m;
  expect(await print(error, false)).not.toMatch(stack);
  expect(await print(error, true)).toMatch(stack);
  expect(await print(error, false)).toContain(`licet: ${error.message}\n`);
});
