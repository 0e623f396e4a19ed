import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { CliIo } from "../../../src/cli/cli-io.ts";
import { createProgram } from "../../../src/cli/program.ts";
import { cliHere } from "../../doubles/cli-here.ts";

const io = { version: "0.0.0", stdout: { columns: () => 80 }, stderr: { columns: () => 80 } } as unknown as CliIo;
const { command: program } = await createProgram(io, { out: "", err: "" }, ["completion"], {});
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
    // As bash splits it, and as it does where COMP_WORDBREAKS has no `=`.
    [["licet", "run", "--order", "=", "ch"], ["cheapest"]],
    [
      ["licet", "--config", "=", "runs", "export", "--format", "="],
      ["jsonl", "markdown", "parquet"],
    ],
    [["licet", "run", "--order=ch"], ["--order=cheapest"]],
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

const has = (shell: string) => spawnSync(shell, ["-c", "exit 0"]).status === 0;

/** What a person has typed, and what the shell offers; `runfile` and `chdir` are in the directory. */
const TYPED: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ["licet run --order=ch", ["cheapest"]],
  ["licet run --order ch", ["cheapest"]],
  ["licet --config=runfile run --order=ch", ["cheapest"]],
  ["licet run --max-spend ", []],
  ["licet run --max-spend=", []],
  ["licet run --list ru", ["runfile"]],
  ["licet run --list=ru", ["runfile"]],
  ["licet export --out ch", ["chdir"]],
];

/** Answers one typed line after another, in the shell itself: `ANSWER:`, and a `HIT:` for each offer. The script of licet is the file `script`. */
const SHELLS = {
  fish: [
    "--no-config",
    "-c",
    "source script; for typed in $argv; echo ANSWER:; complete -C $typed | cut -f1 | string replace -r '^(--[a-z-]+=)?' HIT:; end",
  ],
  zsh: [
    "-f",
    "-c",
    `zmodload zsh/zpty
    for typed in "$@"; do
      zpty shell zsh -f -i
      zpty -w shell "PROMPT= RPROMPT=; autoload -Uz compinit; compinit -D -u; source ./script; bindkey '^I' complete-word"
      zpty -w shell 'compadd() { local -a hits; [[ $* == *" -"[OAD]" "* ]] || builtin compadd -A hits "$@"; print -l -- "HIT:"$^hits; builtin compadd "$@" }'
      zpty -w shell 'finish() { print EN""DED; zle .accept-line }; zle -N finish; bindkey "^X" finish; print REA""DY'
      zpty -r shell answer '*READY*'
      zpty -w -n shell "$typed"$'\\t'$'\\x18'
      zpty -r shell answer '*ENDED*'
      zpty -d shell
      print -r -- "ANSWER:$answer"
    done`,
    "zsh",
  ],
} as const;

describe.each(["fish", "zsh"] as const)("%s", (shell) => {
  test.skipIf(!has(shell))(
    "offers values of options, also behind =, and file names only where a file is meant",
    async () => {
      const directory = await mkdtemp(join(tmpdir(), "licet-completion-"));
      onTestFinished(() => rm(directory, { recursive: true, force: true }));
      await writeFile(join(directory, "script"), await scriptOf(shell));
      await writeFile(join(directory, "runfile"), "");
      await writeFile(join(directory, "chfile"), "");
      await mkdir(join(directory, "chdir"));
      const args = [...SHELLS[shell], ...TYPED.map(([typed]) => typed)];
      const answers = execFileSync(shell, args, { cwd: directory, encoding: "utf8" }).split("ANSWER:").slice(1);
      const offered = answers.map((answer) => [
        ...new Set(Array.from(answer.matchAll(/HIT:([\w-]+)/g), ([, word]) => word)),
      ]);
      expect(offered).toEqual(TYPED.map(([, words]) => words));
    },
  );
});
