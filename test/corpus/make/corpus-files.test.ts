import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { listCorpusFiles } from "./corpus-files.ts";

const ROOT = join(import.meta.dirname, "..");
const MAX_BYTES = 2_000_000;

const files = listCorpusFiles();

test("the pages match their source: `npm run corpus:generate` writes them", () => {
  const written = ["articles", "sitemaps"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  expect(written.sort()).toEqual(files.map(({ path }) => join(ROOT, path)).sort());
  const stale = files.filter(({ path, bytes }) => !readFileSync(join(ROOT, path)).equals(bytes));
  expect(stale.map(({ path }) => path)).toEqual([]);
});

test("there are a few dozen pages, and a clone stays small", () => {
  expect(new Set(files.map(({ path }) => posix.dirname(path))).size).toBeGreaterThan(50);
  expect(files.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThan(MAX_BYTES);
});
