#!/usr/bin/env node
/**
 * The first file that `licet` runs. Its imports work on an old Node too. On an old Node it prints one sentence with the required
 * version. Otherwise it loads the program.
 */
import { findNodeProblem } from "../node-version.ts";

const problem = findNodeProblem(process.versions.node);
if (problem === null) {
  const { cacheCompiledCode } = await import("./compile-cache.ts");
  cacheCompiledCode();
  await import("./main.ts");
} else {
  process.stderr.write(`${problem}\n`);
  // The exit code of a usage error (exit-code.ts is not loaded here).
  process.exitCode = 2;
}
