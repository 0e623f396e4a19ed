/** `licet export --since`: what is new, each document once, as files that say what is in them. */
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CliWorld, createCliWorld, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;
/** Of the runs so far, the oldest first. */
const runs: string[] = [];

async function buy(pages: readonly string[]): Promise<void> {
  for (const url of pages) {
    const body = JSON.stringify({ url: `https://news.example${url}`, markdown: `# ${url} ${runs.length}` });
    await fetch(`${world.sandbox.url}/__sandbox/pages`, { method: "POST", body });
  }
  const { value } = await world.json("run");
  runs.push((value as { runId: string }).runId);
}

beforeAll(async () => {
  const pages = [{ url: "/a", title: "A", markdown: "# A" }];
  const sites = ["news.example", "blog.example"].map((host) => ({ kind: "pages" as const, host, pages }));
  world = await createCliWorld(
    { sites, rates: ONE_PRICE },
    { sites: sites.map(({ host }) => ({ host, policy: "standard", refresh: { when: "modified" } })) },
  );
  await buy([]);
});
afterAll(() => world.close());

interface Report {
  readonly documents: number;
  readonly files: number;
  readonly cursor: { readonly after: number; readonly through: number; readonly repeated: boolean } | null;
}
async function exportTo(...args: string[]): Promise<Report> {
  const { code, value, stderr } = await world.json("export", ...args);
  expect(code, stderr).toBe(0);
  return value as Report;
}
const LINES = ["--format", "jsonl", "--since", "last"];
const readLines = (text: string) =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { url: string; purchaseId: number });
const pathOf = ({ url }: { url: string }) => url.slice("https://".length);

test("each export has what was settled since the one before, in a file of its own", async () => {
  const out = join(world.directory, "lake");
  expect(await exportTo(...LINES, "--out", out)).toMatchObject({ documents: 2, files: 1, cursor: { after: 0 } });
  expect(await exportTo(...LINES, "--out", out)).toMatchObject({ documents: 0, files: 0, cursor: { through: null } });
  await buy(["/b", "/a"]);
  expect(await exportTo(...LINES, "--out", out)).toMatchObject({ documents: 2, files: 1 });
  const names = await readdir(out);
  expect(names).toEqual([
    expect.stringMatching(/^documents-000000000001-\d{12}\.jsonl$/),
    expect.stringMatching(/^documents-\d{12}-\d{12}\.jsonl$/),
  ]);
  const texts = await Promise.all(names.map((name) => readFile(join(out, name), "utf8")));
  const lines = texts.flatMap(readLines);
  expect(lines.map(pathOf).sort()).toEqual(["blog.example/a", "news.example/a", "news.example/a", "news.example/b"]);
  expect(new Set(lines.map(({ purchaseId }) => purchaseId)).size).toBe(4);
  expect((await stat(join(out, names[0] ?? ""))).mode & 0o777).toBe(0o600);
});

test("a file that the user named has the new documents alone, compressed as its name says", async () => {
  const gzip = join(world.directory, "new.jsonl.gz");
  const zstd = join(world.directory, "new.jsonl");
  expect(await exportTo(...LINES, "--out", gzip)).toMatchObject({ documents: 3 });
  expect(await exportTo(...LINES, "--out", zstd, "--compress", "zstd")).toMatchObject({ documents: 3 });
  expect(readLines(gunzipSync(await readFile(gzip)).toString())).toHaveLength(3);
  expect(readLines(zstdDecompressSync(await readFile(`${zstd}.zst`)).toString())).toHaveLength(3);
  expect(await exportTo(...LINES, "--out", gzip)).toMatchObject({ documents: 0, files: 1 });
  expect(gunzipSync(await readFile(gzip))).toHaveLength(0);
});

test("a site, a run and an instant choose what is exported", async () => {
  const out = join(world.directory, "chosen");
  const count = async (...args: string[]) => (await exportTo("--format", "jsonl", "--out", out, ...args)).documents;
  expect(await count("--site", "blog.example")).toBe(1);
  expect(await count("--run", runs[0] ?? "")).toBe(2);
  expect(await count("--since", runs[1] ?? "")).toBe(2);
  expect(await count("--since", "2026-01-01")).toBe(3);
  expect(await count("--since", new Date(Date.now() + 3_600_000).toISOString())).toBe(0);
  expect(await count("--site", "blog.example", "--since", "last", "--cursor", "blog")).toBe(1);
  expect(await world.json("export", ...LINES, "--out", out, "--cursor", "blog")).toMatchObject({
    code: 1,
    value: { error: { code: "CURSOR_MISMATCH" } },
  });
});

test("Markdown and Parquet have cursors of their own", async () => {
  const pages = join(world.directory, "pages");
  expect(await exportTo("--format", "markdown", "--out", pages, "--since", "last")).toMatchObject({ documents: 3 });
  expect(await exportTo("--format", "parquet", "--out", pages, "--since", "last")).toMatchObject({ files: 1 });
  await rm(join(pages, "news.example"), { recursive: true });
  await buy(["/b"]);
  expect(await exportTo("--format", "markdown", "--out", pages, "--since", "last")).toMatchObject({ documents: 1 });
  expect(await readdir(join(pages, "news.example"))).toEqual(["b.md"]);
});

test.each([["jsonl"], ["parquet"]])("a %s file of another ledger's documents is never replaced", async (format) => {
  const out = join(world.directory, `shared-${format}`);
  const args = ["--format", format, "--out", out, "--since", "last"];
  expect(await exportTo(...args)).toMatchObject({ files: 1 });
  const [name = ""] = await readdir(out);
  const before = await readFile(join(out, name));
  const other = await createCliWorld(
    { sites: [{ kind: "pages", host: "news.example", pages: [{ url: "/x", markdown: "# X" }] }], rates: ONE_PRICE },
    { sites: [{ host: "news.example", policy: "standard" }] },
  );
  try {
    await other.cli("run");
    // Its range has the same numbers: as many documents were settled.
    const db = new Database(other.ledgerFile);
    const through = Number(/(\d{12})\./.exec(name)?.[1]);
    db.prepare("UPDATE purchase SET document_number = ? WHERE document_number IS NOT NULL").run(through);
    db.close();
    // Also not as what an earlier attempt left.
    for (const _attempt of [1, 2]) {
      expect(await other.json("export", ...args)).toMatchObject({
        code: 1,
        value: { error: { code: "EXPORT_UNWRITABLE", message: expect.stringContaining("a file of other documents") } },
      });
    }
    expect(await readFile(join(out, name))).toEqual(before);
    expect(await readdir(out)).toEqual([name]);
  } finally {
    await other.close();
  }
});

test("stdout moves the cursor when all was written", async () => {
  const args = ["export", ...LINES, "--out", "-", "--cursor", "pipe"];
  expect(readLines((await world.cli(...args)).stdout)).toHaveLength(3);
  expect((await world.cli(...args)).stdout).toBe("");
});

test.each([
  [["--format", "markdown", "--out", "x", "--compress", "gzip"], "Markdown files are not compressed"],
  [["--format", "parquet", "--out", "-"], "Parquet cannot go to stdout"],
  [["--format", "jsonl", "--out", "-", "--compress", "zstd"], "stdout is not compressed"],
  [["--format", "jsonl", "--out", "x.jsonl.gz", "--compress", "zstd"], "not a name for zstd"],
  [["--format", "jsonl", "--out", "x", "--cursor", "c"], "--since last"],
  [["--format", "jsonl", "--out", "x", "--since", "yesterday"], "ISO 8601"],
])("%j is refused, and nothing is written", async (args, message) => {
  const before = await readdir(world.directory);
  expect(await world.cli("export", ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  expect(await readdir(world.directory)).toEqual(before);
});
