import { expect, onTestFinished, test } from "vitest";
import { cliHere } from "../doubles/cli-here.ts";
import { createDirectory } from "../doubles/cli-process.ts";

const ENV = { LICET_API_KEY: "sandbox-key", LICET_WORKER_TOKEN: "worker-token" };

async function work(args: readonly string[], env: Readonly<Record<string, string>> = ENV) {
  const directory = await createDirectory();
  onTestFinished(() => directory.remove());
  return cliHere(["worker", "--serve", "http://127.0.0.1:9", ...args], { cwd: directory.path, env });
}

test("a worker on the embedded queue is refused, with what to do", async () => {
  const { code, stderr, stdout } = await work(["--queue", "embedded", "--json"]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: "QUEUE_NOT_SHARED" } });
  expect(stderr).not.toContain("worker-token");
});

test("a worker says what it lacks", async () => {
  expect(await work([])).toMatchObject({ code: 2, stderr: expect.stringContaining("LICET_QUEUE_URL is not set") });
  const noKey = await work(["--queue", "redis://127.0.0.1:9"], { LICET_WORKER_TOKEN: "worker-token" });
  expect(noKey).toMatchObject({ code: 2, stderr: expect.stringContaining("LICET_API_KEY is not set") });
  const noFile = await work(["--queue", "redis://127.0.0.1:9", "--token-file", "missing"]);
  expect(noFile).toMatchObject({ code: 2, stderr: expect.stringContaining("the token file cannot be read: missing") });
});
