import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type CliWorld, createCliWorld, ONE_PRICE } from "../doubles/cli-world.ts";

let world: CliWorld;

beforeAll(async () => {
  const pages = [
    { url: "/2026/plain", title: 'Quoted "title": with --- marks', author: "Ä. Writer", markdown: "# Plain\n\nText." },
    { url: "/..%2f..%2foutside", title: "Escape", markdown: "# Escape" },
    { url: "/Case", title: "Case", markdown: "# Upper" },
    { url: "/case", title: "case", markdown: "# Lower" },
    { url: "/case?page=2", title: "case 2", markdown: "# Query" },
    { url: "/con/aux.txt", title: "Devices", markdown: "# Devices" },
  ];
  world = await createCliWorld({ sites: [{ kind: "pages", host: "news.example", pages }], rates: ONE_PRICE });
  await world.cli("run");
});
afterAll(() => world.close());

test("markdown: one file a page, every file below the directory, whatever the URL is", async () => {
  expect(await world.json("export", "--format", "markdown", "--out", "out/pages")).toMatchObject({
    code: 0,
    value: { documents: 6, files: 6, skippedCount: 0 },
  });
  const root = join(world.directory, "out");
  const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith(".md"));
  expect(files).toHaveLength(6);
  expect(new Set(files.map((name) => name.toLowerCase())).size).toBe(6);
  expect(files.every((name) => name.startsWith(join("pages", "news.example")))).toBe(true);
  const [, yaml = "", body] = (await readFile(join(root, "pages/news.example/2026/plain.md"), "utf8")).split(/^---$/m);
  expect(parse(yaml)).toMatchObject({
    url: "https://news.example/2026/plain",
    title: 'Quoted "title": with --- marks',
    author: "Ä. Writer",
    license: "ON_DEMAND_LICENSE",
    price: "0.01 USD",
    contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(body).toContain("Text.");
});

test("a second export gives the same files", async () => {
  await world.cli("export", "--format", "markdown", "--out", "one");
  await world.cli("export", "--format", "markdown", "--out", "two");
  const [one, two] = await Promise.all(
    ["one", "two"].map((dir) => readdir(join(world.directory, dir), { recursive: true })),
  );
  expect(one?.sort()).toEqual(two?.sort());
});

test("jsonl: one file, one document a line", async () => {
  expect(await world.cli("export", "--format", "jsonl", "--out", "dump")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("Wrote 6 pages in 1 file"),
  });
  const lines = (await readFile(join(world.directory, "dump/documents.jsonl"), "utf8")).trim().split("\n");
  const urls = lines.map((line) => (JSON.parse(line) as { url: string }).url);
  expect(new Set(urls).size).toBe(6);
  // It knows its own file again.
  expect(await world.cli("export", "--format", "jsonl", "--out", "dump")).toMatchObject({ code: 0 });
});

test("the content hash has one form everywhere, and is of the bytes that docs/commands.md names", async () => {
  await world.cli("export", "--format", "jsonl", "--out", "dump");
  await world.cli("export", "--format", "markdown", "--out", "pages");
  const lines = (await readFile(join(world.directory, "dump/documents.jsonl"), "utf8")).trim().split("\n");
  const part = (text: string | null) => `${Buffer.byteLength(text ?? "")}:${text ?? ""}\n`;
  const expected = new Map(
    lines.map((line) => {
      const { url, header, html, markdown, footer, contentHash, hash } = JSON.parse(line);
      const bytes = `licet-content-1\n${part(header)}${part(html ?? markdown)}${part(footer)}`;
      expect({ contentHash, hash }).toEqual({
        contentHash: createHash("sha256").update(bytes).digest("hex"),
        hash: `sha256:${contentHash}`,
      });
      return [url, contentHash] as const;
    }),
  );
  const files = (await readdir(join(world.directory, "pages"), { recursive: true })).filter((name) =>
    name.endsWith(".md"),
  );
  const heads = await Promise.all(files.map((name) => readFile(join(world.directory, "pages", name), "utf8")));
  const ofFiles = heads.map((text) => {
    const { url, contentHash } = parse(text.split(/^---$/m)[1] ?? "");
    return [url, contentHash] as const;
  });
  const db = new Database(world.ledgerFile, { readonly: true });
  const ofView = db.prepare<[], [string, string]>("SELECT url, content_hash FROM v1_documents").raw().all();
  db.close();
  expect(new Map(ofFiles)).toEqual(expected);
  expect(new Map(ofView)).toEqual(expected);
});

test("an unknown site is an error, and creates nothing", async () => {
  expect(await world.cli("export", "--format", "jsonl", "--out", "none", "--site", "other.example")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("news.example"),
  });
  expect(await readdir(world.directory)).not.toContain("none");
});

test("a directory that cannot be written is an error without a stack trace", async () => {
  await mkdir(join(world.directory, "taken"));
  await writeFile(join(world.directory, "taken", "news.example"), "a file");
  expect(await world.json("export", "--format", "markdown", "--out", "taken")).toMatchObject({
    code: 1,
    value: { error: { code: "EXPORT_UNWRITABLE", hint: expect.any(String) } },
  });
});
