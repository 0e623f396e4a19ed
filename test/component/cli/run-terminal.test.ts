/** What `licet run` says while it works, with a terminal and without one. */
import { afterEach, expect, test } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { type CliPlace, cliHere, startCliHere } from "../../doubles/cli-here.ts";
import { cliConfig, createDirectory, writeConfig } from "../../doubles/cli-process.ts";
import { newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) {
    await close();
  }
});

async function open(options: Partial<SandboxOptions> = {}, config: object = {}): Promise<CliPlace> {
  const directory = await createDirectory();
  closers.push(directory.remove);
  const sandbox = await startSandbox({ sites: [newsSite(12)], rates: ONE_PRICE, ...options });
  closers.push(() => sandbox.close());
  await writeConfig(directory.path, cliConfig(sandbox.url, { ...config }));
  return { cwd: directory.path };
}

test("without a terminal, the first and the last line of the log name the run", async () => {
  const place = await open();
  const { code, stderr, stdout } = await cliHere(["run"], place);
  expect(code, stderr).toBe(0);
  const [runId = ""] = /run_\w+/.exec(stdout) ?? [];
  const lines = stderr.trim().split("\n");
  expect(lines).toContain(`licet: run ${runId} begins: news.example`);
  expect(lines.at(-1)).toBe(`licet: run ${runId} ended: completed, 12 bought, 0 failed, 0 in doubt`);
});

test("with --quiet, a run without problems logs nothing but the warning that its ledger is new", async () => {
  const place = await open();
  const first = await cliHere(["run", "--quiet"], place);
  expect(first).toMatchObject({ code: 0, stderr: expect.stringMatching(/^licet: new ledger: [^\n]*\n$/) });
  const second = await cliHere(["run", "-q", "--fresh"], { ...place, isTerminal: true });
  expect(second).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("is complete") });
});

test("--quiet, --log-level and --debug cannot be combined, and a level must exist", async () => {
  const place = await open();
  for (const options of [
    ["--quiet", "--debug"],
    ["--quiet", "--log-level", "warn"],
    ["--log-level", "loud"],
  ]) {
    expect(await cliHere(["status", ...options], place)).toMatchObject({ code: 2 });
  }
});

test("Ctrl-C says what happens now, on a line of its own; a second one ends the process and leaves a clean line", async () => {
  const place = await open({ latencyMs: 40 }, { gateway: { concurrency: 1 } });
  const running = startCliHere(["run"], { ...place, isTerminal: true });
  await running.whenSaid(/[1-9]\d* bought/);
  running.interrupt("SIGINT");
  running.interrupt("SIGINT");
  const { code, stderr } = await running.end;
  await running.over;
  expect(code).toBe(130);
  const [progress, first, last] = stderr.split("licet: ").slice(-3);
  expect(progress?.endsWith("\r\u001b[2K")).toBe(true);
  expect(first).toMatch(/^stopping: started purchases are being finished \(Ctrl-C again stops at once\)\n/);
  expect(last).toMatch(/^stopped at once: nothing is lost; continue with: licet run --resume run_\w+\n$/);
});

test("a run that fails names its run in JSON, and its resume command once, in the hint", async () => {
  const place = await open({}, { gateway: { apiKey: "another-key" } });
  const json = await cliHere(["run", "--json"], place);
  const { runId, error } = JSON.parse(json.stdout) as { runId: string; error: { code: string; hint: string } };
  expect(json.code).toBe(1);
  expect(error.code).toBe("GATEWAY_UNAUTHORIZED");
  expect(error.hint.endsWith(`; nothing is lost; continue with: licet run --resume ${runId}`)).toBe(true);
  const again = await cliHere(["run", "--resume", runId], place);
  expect(again.stderr).toMatch(/\n {2}hint: [^\n]*; nothing is lost; then call the same command again\n$/);
  const text = await cliHere(["run", "--fresh", "--config", "licet.config.json"], place);
  expect(text.stderr.match(/--resume/g)).toHaveLength(1);
  expect(text.stderr).toMatch(/\nlicet: [^\n]*\n {2}hint: [^\n]*--resume run_\w+ --config licet\.config\.json\n$/);
});

test("a run that could not begin has no run id in JSON, and leaves no run", async () => {
  const place = await open({}, { queue: { url: "redis://127.0.0.1:1" } });
  const { code, stdout } = await cliHere(["run", "--json"], place);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ runId: null, error: { code: "QUEUE_UNREACHABLE" } });
  expect(JSON.parse((await cliHere(["status", "--json"], place)).stdout)).toMatchObject({ runs: [] });
  for (const args of [
    ["run", "--bogus"],
    ["run", "other.example"],
    ["run", "news.example", "--resume", "run_1"],
  ]) {
    expect(JSON.parse((await cliHere([...args, "--json"], place)).stdout)).toMatchObject({ runId: null });
  }
});
