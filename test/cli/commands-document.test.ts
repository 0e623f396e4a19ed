/** docs/commands.md against the program: each option that it names exists, and each that exists is named. */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { CliIo } from "../../src/cli/cli-io.ts";
import { createProgram } from "../../src/cli/program.ts";

const io = { version: "0.0.0", stdout: { columns: () => 80 }, stderr: { columns: () => 80 } } as unknown as CliIo;
const { command: program } = await createProgram(io, { out: "", err: "" }, [], {});
const text = await readFile(new URL("../../docs/commands.md", import.meta.url), "utf8");
const [shared = "", ...sections] = text.split(/^## licet /m);

const optionsIn = (part: string) => [...new Set(part.match(/(?<=[`\s[(])--[a-z][a-z-]+/g) ?? [])];
const longNames = (command: typeof program) => command.options.map(({ long }) => long ?? "");

test.each(program.commands.map((command) => [command.name(), command] as const))("licet %s", (name, command) => {
  const section = sections.find((candidate) => candidate.startsWith(`${name}\n`)) ?? "";
  const sharedNames = [...longNames(program), "--help"];
  const own = longNames(command);
  expect(own.filter((option) => !section.includes(option))).toEqual([]);
  expect(optionsIn(section).filter((option) => ![...own, ...sharedNames].includes(option))).toEqual([]);
  const examples = [...section.matchAll(/^licet ([a-z]+)/gm)].map(([, used]) => used);
  expect(examples.length).toBeGreaterThan(0);
  expect(new Set(examples)).toEqual(new Set([name]));
});

test("the shared options are named once, at the top", () => {
  const documented = longNames(program).filter((option) => option !== "--version");
  expect(documented.filter((option) => !shared.includes(option))).toEqual([]);
});
