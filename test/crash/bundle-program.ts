/**
 * Writes `dist/crash/`, the program that the crash suites start: licet with its dependencies, in some two hundred files. A short run takes three quarters
 * of the processor time that it takes when each source, and each file of a dependency, is loaded by itself. What the preload changes is a file of its
 * own (preload/).
 */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { build, type Plugin } from "esbuild";
import { PROGRAM, SETTINGS } from "../../bundle-settings.ts";

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
    ...SETTINGS,
    absWorkingDir: ROOT,
    entryPoints: {
      ...PROGRAM,
      "open-ledger": OPEN_LEDGER,
      "gateway-client": "src/gateway/gateway-client.ts",
      tuning: "src/agent/tuning.ts",
      "compile-cache": "src/cli/start/compile-cache.ts",
    },
    outdir: OUTPUT,
    plugins: [openLedgerApart],
    // Native, and changed by the preload (preload/steps.mjs).
    external: ["better-sqlite3"],
    // Dependencies in the older form of modules.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
  });
}
