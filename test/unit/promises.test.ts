/** docs/promises.md: each sentence stands where the list says, unchanged to its last word, and the test that holds it exists. */
import { createHash } from "node:crypto";
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
    .replace(/\s+/g, " ")
    .trim();
}

/** Paragraphs, items of lists, cells of tables and lines of headings. No sentence goes beyond one. */
function blocksIn(markdown: string): readonly string[] {
  return markdown
    .split(/\n{2,}|\n(?= *(?:[-#|]|\d\.) ?)|(?<!\\)\|/)
    .map((block) => toPlain(block.replace(/^\s*(?:[-#]+|\d\.) /, "")))
    .filter((block) => block !== "");
}

/** All words of the sentence, or sentences, that have `words`; null if none has them. */
function sentenceWith(blocks: readonly string[], words: string): string | null {
  const block = blocks.find((text) => text.includes(words));
  if (block === undefined) {
    return null;
  }
  const at = block.indexOf(words);
  const ends = [...block.matchAll(/[.!?][)"]?(?= |$)/g)].map(({ 0: end, index }) => index + end.length);
  const from = ends.findLast((end) => end <= at) ?? 0;
  const to = ends.find((end) => end >= at + words.length) ?? block.length;
  return block.slice(from, to).trim();
}

function digestOf(sentence: string): string {
  return createHash("sha256").update(sentence).digest("hex").slice(0, 6);
}

async function readHelp(): Promise<readonly string[]> {
  const { command: program } = await createProgram(io, { out: "", err: "" }, ["completion"], {});
  return [program, ...program.commands].flatMap((command) =>
    [command.description(), ...command.options.map(({ description }) => description)].map(toPlain),
  );
}

describe.each(places)("the promises of %s", (place) => {
  const rows = tableBelow(list, `## ${place}`).map(([promise = "", held = ""]) => ({
    ...(/^`(?<digest>[0-9a-f]{6})` (?<words>.+)$/.exec(promise)?.groups as { digest: string; words: string }),
    ...(/^\[`(?<name>.+)`\]\(\.\.\/(?<file>test\/[^)]+)\)$/.exec(held)?.groups as { name: string; file: string }),
  }));

  // A sentence that was changed may promise something else: see that its test holds it, then write the new digest.
  test("stand there, word for word", async () => {
    const blocks = place === HELP ? await readHelp() : blocksIn(read(place));
    const changed = rows.flatMap(({ digest, words }) => {
      const sentence = sentenceWith(blocks, toPlain(words));
      const found = sentence === null ? "is in no sentence" : digestOf(sentence);
      return found === digest ? [] : [`${digest} ${words} → ${found}: ${sentence}`];
    });
    expect(changed).toEqual([]);
  });

  test("name tests that exist", () => {
    const lost = rows.filter(({ name, file }) => !exists(file) || !read(file).includes(name.replaceAll("\\|", "|")));
    expect(rows.length).toBeGreaterThan(0);
    expect(lost.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
  });
});
