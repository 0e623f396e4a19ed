/** docs/promises.md: each sentence stands where the list says, by its first words, and the test that holds it exists. */
import { describe, expect, test } from "vitest";
import type { CliIo } from "../../src/cli/cli-io.ts";
import { createProgram } from "../../src/cli/program.ts";
import { exists, read, tableBelow } from "../tidy/repository.ts";

const HELP = "licet --help";
const list = read("docs/promises.md");
const places = [...list.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
const io = { version: "0.0.0", stdout: { columns: () => 80 }, stderr: { columns: () => 80 } } as unknown as CliIo;

/** Without the marks of Markdown, and on one line. */
function toPlain(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[`*]/g, "")
    .replaceAll("\\|", "|")
    .replace(/\s+/g, " ");
}

async function readHelp(): Promise<string> {
  const { command: program } = await createProgram(io, { out: "", err: "" }, [], {});
  return [program, ...program.commands]
    .flatMap((command) => [command.description(), ...command.options.map(({ description }) => description)])
    .join("\n");
}

describe.each(places)("the promises of %s", (place) => {
  const rows = tableBelow(list, `## ${place}`).map(([promise = "", held = ""]) => ({
    promise: toPlain(promise),
    ...(/^\[`(?<name>.+)`\]\(\.\.\/(?<file>test\/[^)]+)\)$/.exec(held)?.groups as { name: string; file: string }),
  }));

  test("stand there, word for word", async () => {
    const text = toPlain(place === HELP ? await readHelp() : read(place));
    expect(rows.filter(({ promise }) => !text.includes(promise)).map(({ promise }) => promise)).toEqual([]);
  });

  test("name tests that exist", () => {
    const lost = rows.filter(({ name, file }) => !exists(file) || !read(file).includes(name.replaceAll("\\|", "|")));
    expect(rows.length).toBeGreaterThan(0);
    expect(lost.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });
});
