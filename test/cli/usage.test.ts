import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/command-list.ts";
import { cliHere } from "../doubles/cli-here.ts";
import { createDirectory, runCli } from "../doubles/cli-process.ts";

let directory: Awaited<ReturnType<typeof createDirectory>>;
beforeAll(async () => {
  directory = await createDirectory();
});
afterAll(() => directory.remove());

const cli = (...args: string[]) => cliHere(args, { cwd: directory.path });

test("without a command it says so and exits with 2", async () => {
  expect(await cli()).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("no command was given") });
});

test("help goes to stdout and exits with 0", async () => {
  const help = await cli("--help");
  expect(help).toMatchObject({ code: 0, stderr: "" });
  expect(help.stdout).toContain("Exit codes:");
});

test("the help of all commands names each as its own help does, and `help` shows one as --help does", async () => {
  const { stdout: list } = await cli("--help");
  const listed = Object.entries(COMMANDS).map(async ([name, { says }]) => {
    const { stdout } = await cli(name, "--help");
    const [, usage = ""] = /^Usage: licet (.+)$/m.exec(stdout) ?? [];
    expect(list.split("\n").filter((line) => line.startsWith(`  ${usage} `) || line === `  ${usage}`)).toHaveLength(1);
    for (const text of [list, stdout]) {
      expect(text.replace(/\s+/g, " ")).toContain(says);
    }
    expect(await cli("help", name)).toEqual({ code: 0, stdout, stderr: "" });
  });
  await Promise.all(listed);
  expect(listed.length).toBeGreaterThan(30);
});

test.each([
  "init",
  "check",
  "plan",
  "run",
  "report",
  "use",
  "status",
  "explain",
  "audit",
  "resolve",
  "export",
  "prune",
  "history",
  "sandbox",
])("the help of %s shows the shared options and an example", async (command) => {
  const help = await cli(command, "--help");
  expect(help.code).toBe(0);
  expect(help.stdout).toMatch(/--config <file>[\s\S]*--json[\s\S]*Examples:\n {2}\$ licet/);
});

test("an unknown command names the nearest one", async () => {
  expect(await cli("stauts")).toMatchObject({ code: 2, stderr: expect.stringContaining("Did you mean status?") });
});

test("an unknown option names the nearest one", async () => {
  expect(await cli("run", "--max-pagse", "3")).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^licet: unknown option '--max-pagse'\n {2}hint: Did you mean --max-pages\?.*\n$/),
  });
});

test("a surplus argument is refused", async () => {
  expect(await cli("audit", "now")).toMatchObject({ code: 2, stderr: expect.stringContaining("too many arguments") });
});

test("with --json, bad usage is the one document on stdout", async () => {
  const result = await cli("--json", "explain");
  expect(result).toMatchObject({ code: 2, stderr: "" });
  expect(JSON.parse(result.stdout)).toMatchObject({
    error: { code: "USAGE_INVALID", message: expect.stringContaining("missing required argument 'url'") },
  });
});

test.each([
  [["run", "--max-spend", "5"], "the currency is missing"],
  [["run", "--max-spend", "-5 USD"], "an amount cannot be negative"],
  [["run", "--max-pages", "0"], "a whole number, 1 or more"],
  [["run", "--max-pages", "1e3"], "a whole number, 1 or more"],
  [["run", "news.example", "--resume"], "a resumed run keeps its sites"],
  [["use"], "name either a URL or a file of uses"],
  [["use", "https://news.example/a", "--from", "x.jsonl"], "name either a URL or a file of uses"],
  [["use", "--from", "x.jsonl", "--times", "2"], "belong to a single URL"],
  [["resolve"], "name what to resolve: one number, --run RUN or --from FILE"],
  [["resolve", "7"], "use exactly one of --charged, --not-charged, --taken, --not-taken and --close"],
  [["resolve", "7", "--charged", "--not-charged"], "use exactly one of --charged"],
  [["resolve", "7", "--run", "run_1", "--charged"], "name what to resolve"],
  [["resolve", "--run", "run_1"], "use exactly one of --charged and --not-charged"],
  [["resolve", "--run", "run_1", "--close"], "use exactly one of --charged and --not-charged"],
  [["resolve", "7", "--close", "--keep-off"], "--keep-off concerns the page of a purchase in doubt"],
  [["resolve", "seven", "--charged"], "a whole number, 1 or more"],
  [["prune", "--older-than", "soon"], "is not a duration"],
  [["export", "--out", "x"], "export needs a form and a place: --format missing"],
  [["export", "--out", "x", "--format", "pdf"], "Allowed choices are jsonl, markdown"],
  [["sandbox", "--port", "70000"], "a whole number from 0 to 65535"],
])("%j is bad usage", async (args, message) => {
  expect(await cli(...args)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(message) });
});

describe("as a process", () => {
  const shell = (...args: string[]) => runCli(args, { cwd: directory.path });

  test("licet prints the version of the package", async () => {
    expect(await shell("--version")).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test("licet exits with the code of its error, which is on stderr, or on stdout with --json", async () => {
    expect(await shell("stauts")).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("status") });
    expect(await shell("audit", "--json")).toMatchObject({ code: 2, stdout: expect.stringMatching(/^\{\s+"error"/) });
  });

  test.runIf(process.platform === "linux")("a full disk for stdout is a failure, not a success", async () => {
    const { code } = await runCli(["--help"], { cwd: directory.path, limit: "exec >/dev/full" });
    expect(code).toBe(1);
  });
});
