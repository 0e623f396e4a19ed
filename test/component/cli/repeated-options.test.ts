/** An option that takes one value and is given twice: the first one is never dropped without a word. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

async function open() {
  const world = await createCliWorld({ port: 0, sites: [newsSite(2)], rates: ONE_PRICE });
  onTestFinished(world.close);
  return world;
}

test.each(["run", "plan"])("the second --list of %s is refused, and nothing is bought", async (command) => {
  const { cli, directory, sandbox } = await open();
  for (const name of ["a", "b"]) {
    await writeFile(join(directory, name), "https://news.example/articles/0000001\n");
  }
  const { code, stderr } = await cli(command, "--list", "a", "--list", "b");
  expect(code).toBe(2);
  expect(stderr).toBe(
    "licet: --list was given twice, and only one value can count\n  hint: Give it once. Several lists are one list: cat FILE FILE | licet run --list -\n",
  );
  expect(sandbox.audit().charges).toEqual([]);
});

test("a second limit is refused, and a shared option may be set by an alias and again", async () => {
  const { cli } = await open();
  expect((await cli("run", "--max-spend", "5 USD", "--max-spend=50 USD")).stderr).toContain(
    "licet: --max-spend was given twice",
  );
  expect((await cli("--log-level", "info", "--log-level", "error", "plan")).code).toBe(0);
});
