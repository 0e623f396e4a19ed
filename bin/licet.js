#!/usr/bin/env node
/**
 * The command `licet`. It is JavaScript and in the repository, so that a clone whose sources are not compiled yet can say so. Old
 * versions of Node can run it.
 */
import { existsSync } from "node:fs";

/** What `npm run build` writes (bundle.ts): the same program in a clone, in the package and in the image. */
const program = new URL("../lib/licet.js", import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write(
    "licet: the sources of this clone are not compiled\n  hint: Run `npm ci`, and `npm run build` if npm blocks install scripts.\n",
  );
  process.exitCode = 1;
}
