/**
 * Writes `dist/crash/`, the program that the crash suites start: licet and its dependencies in a few files. A process of it starts with half the
 * processor time of one that loads each source and each file of the dependencies by itself, and the suites start more than a hundred. What the
 * preload changes is a file of its own (preload/).
 */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";

const ROOT = resolve(import.meta.dirname, "../..");
const OUTPUT = join(ROOT, "dist/crash");
const OPEN_LEDGER = join(ROOT, "src/ledger/sqlite/open.ts");

/** Who opens a ledger imports a file that a hook can replace (preload/redirect-ledger.mjs). */
const openLedgerApart: Plugin = {
  name: "open-ledger-apart",
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/open\.ts$/ }, ({ kind, path, resolveDir }) =>
      kind !== "entry-point" && resolve(resolveDir, path) === OPEN_LEDGER
        ? { path: "./open-ledger.js", external: true }
        : undefined,
    ),
};

export async function setup(): Promise<void> {
  rmSync(OUTPUT, { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: {
      licet: "src/cli/licet.ts",
      "open-ledger": OPEN_LEDGER,
      "gateway-client": "src/gateway/gateway-client.ts",
      tuning: "src/agent/tuning.ts",
      "compile-cache": "src/cli/start/compile-cache.ts",
      "markdown-worker": "src/content/markdown-worker.ts",
      "ledger-thread": "src/ledger/sqlite/thread/ledger-thread.ts",
    },
    outdir: OUTPUT,
    plugins: [openLedgerApart],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    // Native, and changed by the preload (preload/steps.mjs).
    external: ["better-sqlite3"],
    // Dependencies in the older form of modules.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    minifyWhitespace: true,
    logLevel: "warning",
  });
}
