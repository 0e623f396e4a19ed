import { execFileSync } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** What licet is compiled from, and what both steps of a build write. */
const SOURCES = [
  "src",
  "jobs",
  "bundle.ts",
  "bundle-settings.ts",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
];
const BUILT = ["dist/src/index.js", "lib/index.js"];

/**
 * Compiles licet before the tests, for those that start real processes (the command line, workers, crashes), unless what is compiled is newer than
 * all of its sources. LICET_TEST_NO_BUILD leaves it as it is.
 */
export default function buildOnce(): void {
  if (process.env.LICET_TEST_NO_BUILD === undefined && !isBuilt()) {
    for (const command of [["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], ["bundle.ts"]]) {
      execFileSync(process.execPath, command, { stdio: "inherit" });
    }
  }
}

function isBuilt(): boolean {
  return Math.min(...BUILT.map(writtenAt)) > Math.max(...SOURCES.flatMap(withContents).map(writtenAt));
}

/** A directory as well: a file that was removed changed only that. */
function withContents(path: string): readonly string[] {
  return statSync(path).isDirectory()
    ? [path, ...readdirSync(path, { recursive: true, encoding: "utf8" }).map((name) => join(path, name))]
    : [path];
}

/** Epoch ms. Zero: there is none. */
function writtenAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
