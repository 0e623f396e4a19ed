import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { CliIo } from "../../../src/cli/cli-io.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { cliHere } from "../../doubles/cli-here.ts";

const io = { version: "0.0.0", stdout: { columns: () => 80 }, stderr: { columns: () => 80 } } as unknown as CliIo;
const { command: program } = await createProgram(io, { out: "", err: "" }, [], {});
const scriptOf = async (shell: string) => (await cliHere(["completion", shell], { cwd: "/" })).stdout;

describe.each(["bash", "zsh", "fish"])("the script for %s", (shell) => {
  test("has every command and every option", async () => {
    const script = await scriptOf(shell);
    const has = (option: string) => script.includes(shell === "fish" ? `-l ${option.slice(2)} ` : option);
    const options = [program, ...program.commands].flatMap((command) => command.options.map(({ long }) => long ?? ""));
    expect(program.commands.filter((command) => !new RegExp(`\\b${command.name()}\\b`).test(script))).toEqual([]);
    expect(options.filter((option) => !has(option))).toEqual([]);
    expect(options.length).toBeGreaterThan(30);
  });
});

test("another shell is refused, and a program gets the script in its document", async () => {
  expect(await cliHere(["completion", "tcsh"], { cwd: "/" })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/Allowed choices are bash, zsh, fish/),
  });
  const { stdout } = await cliHere(["completion", "bash", "--json"], { cwd: "/" });
  expect(JSON.parse(stdout)).toEqual({ shell: "bash", script: await scriptOf("bash") });
});

test("bash completes commands, the options of the command, and the words of an option", async () => {
  const lines: readonly (readonly [typed: readonly string[], completed: readonly string[]])[] = [
    [
      ["licet", "ru"],
      ["run", "runs"],
    ],
    [
      ["licet", "--config", "runs", "ex"],
      ["explain", "export"],
    ],
    [
      ["licet", "runs", "--li"],
      ["--license", "--limit"],
    ],
    [["licet", "--json", "runs", "--state", "di"], ["died"]],
    [
      ["licet", "export", "--format", ""],
      ["jsonl", "markdown", "parquet"],
    ],
    [["licet", "completion", "z"], ["zsh"]],
    [["licet", "runs", "--site", ""], []],
  ];
  const ask = lines.map(
    ([typed]) =>
      `COMP_WORDS=(${typed.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${typed.length - 1}; _licet; echo "\${COMPREPLY[*]}"`,
  );
  const script = `${await scriptOf("bash")}\n${ask.join("\n")}`;
  const answers = execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8" }).split("\n");
  const sorted = answers.slice(0, lines.length).map((line) =>
    line
      .split(" ")
      .filter((word) => word !== "")
      .sort(),
  );
  expect(sorted).toEqual(lines.map(([, completed]) => completed));
});
