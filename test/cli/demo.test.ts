import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createDirectory } from "../doubles/cli-process.ts";

const DEMO = fileURLToPath(new URL("../../dist/src/cli/demo/demo.js", import.meta.url));

test("the demo plans, runs, is killed, resumes, agrees with the gateway's account, and leaves nothing behind", async () => {
  const directory = await createDirectory();
  try {
    const env = { PATH: process.env.PATH ?? "", HOME: tmpdir(), TMPDIR: directory.path };
    const { code, stdout } = await new Promise<{ code: number; stdout: string }>((resolve) =>
      execFile(process.execPath, [DEMO], { env }, (error, out) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout: out }),
      ),
    );
    expect(stdout).toMatch(/would buy[\s\S]*when the run was killed[\s\S]*is complete[\s\S]*Every promise is kept/);
    expect(stdout).toMatch(/ledger and gateway agree: \d+ charges, [\d.]+ USD, \d+ uses reported/);
    expect(code).toBe(0);
    expect((await readdir(directory.path)).filter((name) => name.startsWith("licet-demo"))).toEqual([]);
  } finally {
    await directory.remove();
  }
});
