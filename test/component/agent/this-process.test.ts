import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { copyFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { isThere, thisProcess } from "../../../src/agent/this-process.ts";
import { createDirectory } from "../../doubles/cli-process.ts";
import { PATIENCE } from "../../doubles/patience.ts";

/** A shell that starts a program, says its number, and becomes another program, which asks for the end of none. */
async function startUnreaped(command: string): Promise<{ readonly pid: number; readonly parent: number }> {
  const parent = spawn("sh", ["-c", `${command} & echo $!; exec sleep 60`], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout, "data");
  return { pid: Number(line), parent: parent.pid as number };
}

test.runIf(process.platform === "linux")("a process that has ended is gone before its parent knows it", async () => {
  const { pid, parent } = await startUnreaped("sleep 0");
  await vi.waitFor(() => expect(readFileSync(`/proc/${pid}/stat`, "latin1")).toContain(") Z "), PATIENCE);
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect([isThere(pid), isThere(parent)]).toEqual([false, true]);
  expect(thisProcess.hasEnded(`${hostname()}:${pid}:1`)).toBe(true);
});

test("a process is there whatever the name of its program", async () => {
  const directory = await createDirectory();
  onTestFinished(() => directory.remove());
  const program = join(directory.path, ") Z (");
  await copyFile("/bin/sleep", program);
  const { pid } = await startUnreaped(`"${program}" 60`);
  onTestFinished(() => void process.kill(pid, "SIGKILL"));
  expect(isThere(pid)).toBe(true);
  expect(thisProcess.hasEnded(`${hostname()}:${pid}:1`)).toBe(false);
});
