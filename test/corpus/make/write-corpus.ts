/** Writes the pages and sitemaps of `test/corpus` from their sources: `npm run corpus:generate`. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listCorpusFiles } from "./corpus-files.ts";

const ROOT = join(import.meta.dirname, "..");

for (const folder of ["articles", "sitemaps"]) {
  rmSync(join(ROOT, folder), { recursive: true, force: true });
}
for (const { path, bytes } of listCorpusFiles()) {
  mkdirSync(dirname(join(ROOT, path)), { recursive: true });
  writeFileSync(join(ROOT, path), bytes);
}
