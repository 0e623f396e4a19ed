import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createDirectory } from "../doubles/cli-process.ts";

const DEMO = fileURLToPath(new URL("../../demo/demo.ts", import.meta.url));
const SERVICE_DEMO = fileURLToPath(new URL("../../demo/service-demo.ts", import.meta.url));

async function play(program: string, ...args: string[]): Promise<{ code: number; stdout: string; left: string[] }> {
  const directory = await createDirectory();
  try {
    const env = { PATH: process.env.PATH ?? "", HOME: tmpdir(), TMPDIR: directory.path };
    const end = await new Promise<{ code: number; stdout: string }>((resolve) =>
      execFile(process.execPath, [program, ...args], { env }, (error, out) =>
        resolve({ code: error === null ? 0 : Number(error.code), stdout: out }),
      ),
    );
    const left = (await readdir(directory.path)).filter((name) => name.startsWith("licet-demo"));
    return { ...end, left };
  } finally {
    await directory.remove();
  }
}

// Side by side: the second one waits most of its time.
test.concurrent("the demo plans, runs, is killed, resumes, agrees with the gateway's account, and leaves nothing behind", async () => {
  const { code, stdout, left } = await play(DEMO);
  expect(stdout).toMatch(/would buy[\s\S]*when the run was killed[\s\S]*is complete[\s\S]*Every promise is kept/);
  expect(stdout).toMatch(/ledger and gateway agree: \d+ charges, [\d.]+ USD, \d+ uses reported/);
  expect(code).toBe(0);
  expect(left).toEqual([]);
});

test.concurrent("the demo of the service is killed, sees a midnight, agrees with the gateway's account, and leaves nothing behind", async () => {
  const { code, stdout, left } = await play(SERVICE_DEMO, "12", "7");
  expect(stdout).toMatch(/Look at it while it runs: http:\/\/127\.0\.0\.1:\d+\//);
  expect(stdout).toMatch(/killed \(SIGKILL\)[\s\S]*started again[\s\S]*midnight[\s\S]*ended with 0/);
  expect(stdout).toMatch(/Every promise is kept[\s\S]*ledger and gateway agree: \d+ charges, [\d.]+ USD/);
  expect(code).toBe(0);
  expect(left).toEqual([]);
});
