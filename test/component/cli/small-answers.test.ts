/** Small things that people tried: a dry run of `run`, `export` without options, `history --json`, a use of 1970. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type CliWorld, createCliWorld, newsSite, ONE_PRICE } from "../../doubles/cli-world.ts";

const urlOf = (number: number) => `https://news.example/articles/${String(number).padStart(7, "0")}`;

async function open(): Promise<CliWorld> {
  const world = await createCliWorld({ port: 0, sites: [newsSite(4)], rates: ONE_PRICE });
  onTestFinished(world.close);
  return world;
}

test("run --dry-run prints the plan of the same sites, list, limits and order, and buys nothing", async () => {
  const { cli, json, directory, sandbox } = await open();
  await writeFile(join(directory, "pages.csv"), `url,key\n${urlOf(3)},three\n${urlOf(1)},one\n`);
  const comparable = async (...args: string[]) => {
    const { code, value } = await json(...args);
    return { code, plan: { ...(value as object), durationMs: 0 } };
  };
  for (const args of [
    ["news.example", "--max-spend", "0.02 USD"],
    ["--list", "pages.csv"],
    ["--order", "cheapest", "--max-pages", "3"],
  ]) {
    expect(await comparable("run", "--dry-run", ...args)).toEqual(await comparable("plan", ...args));
  }
  for (const args of [["--resume"], ["--fresh"], ["--skip-if-running"], ["--trust-clock"], ["--plan", "plan.jsonl"]]) {
    const { code, stderr } = await cli("run", "--dry-run", ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(`so ${args[0]} cannot be given with it`);
  }
  expect((await cli("run", "--dry-run", "--plan", "plan.jsonl")).stderr).toContain("licet plan --show plan.jsonl");
  expect(sandbox.audit().charges).toEqual([]);
});

test("purge of what is not a site, such as a URL, is refused, and names the sites", async () => {
  const { cli } = await open();
  await cli("run", "--max-pages", "1");
  for (const name of [urlOf(0), "nwes.example"]) {
    const { code, stderr } = await cli("purge", name, "--yes");
    expect(code).toBe(2);
    expect(stderr).toContain(`${name} is not a configured site`);
    expect(stderr).toContain("news.example");
  }
  expect((await cli("purge", "NEWS.example", "--yes")).code).toBe(0);
});

test("export without options names all that it needs, with a command that works", async () => {
  const { cli } = await open();
  await cli("run", "--max-pages", "1");
  const errorOf = async (...args: string[]) => {
    const { code, stderr } = await cli("export", ...args);
    expect(code).toBe(2);
    return stderr;
  };
  expect(await errorOf()).toBe(
    "licet: export needs a form and a place: --format and --out missing\n  hint: licet export --format markdown --out pages. The forms: jsonl, markdown, parquet\n",
  );
  expect(await errorOf("--format", "jsonl")).toContain(
    "--out missing\n  hint: licet export --format jsonl --out pages.",
  );
  expect(await errorOf("--out", "lake")).toContain(
    "--format missing\n  hint: licet export --format markdown --out lake.",
  );
  expect((await cli("export", "--format", "markdown", "--out", "pages")).code).toBe(0);
});

test("history --json is an object, also when there are no records", async () => {
  const { json } = await open();
  expect((await json("history")).value).toEqual({ records: [] });
});

test("a use of 1970 is refused for its year, and so are seconds that were meant as milliseconds", async () => {
  const { json, directory } = await open();
  await json("run", "--list", await writeOne(directory));
  const use = async (...args: string[]) => json("use", ...args);
  const refused = (reason: RegExp) => ({
    code: 4,
    value: { recorded: 0, refused: [{ url: urlOf(1), reason: expect.stringMatching(reason) }] },
  });
  const year = /^usedAt is in the year (1970|9999), and dates are of the years 1971 to 2199/;
  expect(await use(urlOf(1), "--at", "1970-01-01")).toMatchObject(refused(year));
  expect(await use(urlOf(1), "--at", "9999-12-31T00:00:00Z")).toMatchObject(refused(year));
  expect(await use(urlOf(1), "--at", "yesterday")).toMatchObject(refused(/must be an ISO 8601 date/));
  const seconds = Math.floor(Date.now() / 1_000);
  await writeFile(join(directory, "uses.jsonl"), `${JSON.stringify({ url: urlOf(1), usedAt: seconds })}\n`);
  expect(await use("--from", "uses.jsonl")).toMatchObject(refused(/is 1970-01-.* epoch milliseconds, not seconds$/));
  const today = new Date().toISOString().slice(0, 10);
  expect(await use(urlOf(1), "--at", today)).toMatchObject({ code: 0, value: { recorded: 1 } });
});

async function writeOne(directory: string): Promise<string> {
  await writeFile(join(directory, "one.txt"), `${urlOf(1)}\n`);
  return "one.txt";
}
