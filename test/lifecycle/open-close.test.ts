import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("open-close.ts", import.meta.url));
/** `.ci/run` does as many on the oldest Node, the nightly job a thousand. Faults of native modules showed within a hundred rounds of this. */
const ROUNDS = "100";

test("a process that opens and closes ledgers, agents and converters neither aborts nor grows", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", SCRIPT, ROUNDS]);
  expect(stdout).toContain(`${ROUNDS} rounds`);
});
