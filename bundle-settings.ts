/** What each bundle of licet has: the package's code (bundle.ts), and the program that the crash suites start (test/crash/bundle-program.ts). */
import type { BuildOptions } from "esbuild";

/** What is started by its name: the command, and its threads. */
export const PROGRAM = {
  licet: "src/cli/licet.ts",
  "markdown-worker": "src/content/markdown-worker.ts",
  "ledger-thread": "src/ledger/sqlite/thread/ledger-thread.ts",
};

/** One file for what is loaded together, in one directory. */
export const SETTINGS = {
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node22",
  charset: "utf8",
  // Names stay, so a stack still says which function it was.
  minifyWhitespace: true,
  logLevel: "warning",
} satisfies BuildOptions;
