/** docs/commands.md against the program: each option that it names exists, and its examples work. docs/options.md has each that exists. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { renderOptionsReference } from "../../generate/options-reference.ts";
import type { CliIo } from "../../src/cli/cli-io.ts";
import { createProgram } from "../../src/cli/program.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { cliHere } from "../doubles/cli-here.ts";
import { createDirectory } from "../doubles/cli-process.ts";

const io = { version: "0.0.0", stdout: { columns: () => 80 }, stderr: { columns: () => 80 } } as unknown as CliIo;
const { command: program } = await createProgram(io, { out: "", err: "" }, ["completion"], {});
const text = await readFile(new URL("../../docs/commands.md", import.meta.url), "utf8");
const [, ...sections] = text.split(/^## licet /m);

const optionsIn = (part: string) => [...new Set(part.match(/(?<=[`\s[(])--[a-z][a-z-]+/g) ?? [])];
const longNames = (command: typeof program) => command.options.map(({ long }) => long ?? "");

test.each(program.commands.map((command) => [command.name(), command] as const))("licet %s", (name, command) => {
  const section = sections.find((candidate) => candidate.startsWith(`${name}\n`)) ?? "";
  const sharedNames = [...longNames(program), "--help"];
  const own = longNames(command);
  expect(optionsIn(section).filter((option) => ![...own, ...sharedNames].includes(option))).toEqual([]);
  const examples = [...section.matchAll(/^licet ([a-z]+)/gm)].map(([, used]) => used);
  expect(examples.length).toBeGreaterThan(0);
  expect(new Set(examples)).toEqual(new Set([name]));
});

test("docs/options.md has the arguments and options of each command (npm run schema:generate)", async () => {
  await expect(renderOptionsReference(program)).toMatchFileSnapshot("../../docs/options.md");
});

/** The number of a row or a run that only the reader's ledger has. */
const INVENTED_ID = /\b(?:run_\w+|resolve \d+)\b/;

// `sandbox`, `serve` and `worker` run until somebody stops them.
test("each example works as it stands, one after the other in one folder", async () => {
  const directory = await createDirectory();
  const sandbox = await startSandbox({ sites: [{ kind: "demo", host: "demo.example" }] });
  onTestFinished(async () => {
    await sandbox.close();
    await directory.remove();
  });
  const page = "https://demo.example/news/harbour-bridge-a-visit-on-site";
  const files = {
    "staging.env": "LICET_AGENT_ID=licet-demo\n",
    "pages.jsonl": `${JSON.stringify({ url: page, maxPrice: "0.05 USD" })}\n`,
    "pages.csv": `url,key\n${page},bridge\n`,
    "uses.jsonl": `${JSON.stringify({ url: page })}\n`,
    "invoice.csv": `url\n${page}\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(directory.path, name), text);
  }
  const env = { LICET_GATEWAY_URL: sandbox.url, LICET_API_KEY: "sandbox-key", LICET_AGENT_ID: "licet-demo" };
  const examples = [...text.matchAll(/^licet (?!sandbox|serve|worker)(\w.*?)(?: +#.*| > \S+)?$/gm)].map(
    ([, line = ""]) => line,
  );
  expect(examples.length).toBeGreaterThan(30);
  for (const line of examples) {
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word = ""]) => quoted ?? word);
    const { code, stderr } = await cliHere(args, { cwd: directory.path, env });
    // A budget may run out (3), an invoice may name nothing in doubt (4), and nothing may be left to resume (1).
    const allowed = INVENTED_ID.test(line) ? [1] : line.endsWith("--resume") ? [0, 1, 3] : [0, 3, 4];
    expect(allowed, `licet ${line}\n${stderr}`).toContain(code);
  }
});
