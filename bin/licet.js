#!/usr/bin/env node
/**
 * The command `licet`. It is JavaScript and in the repository, so that a clone whose sources are not compiled yet can say so. Old
 * versions of Node can run it.
 */
import { existsSync } from "node:fs";

/** What a clone compiles, file by file, and what the package has (bundle.ts). */
const programs = ["../dist/src/cli/licet.js", "../lib/licet.js"].map((path) => new URL(path, import.meta.url));
const program = programs.find((url) => existsSync(url));
if (program === undefined) {
  process.stderr.write(
    "licet: the sources of this clone are not compiled\n  hint: Run `npm ci`, and `npm run build` if npm blocks install scripts.\n",
  );
  process.exitCode = 1;
} else {
  await import(program.href);
}
