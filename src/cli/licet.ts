#!/usr/bin/env node
/**
 * The first file that `licet` runs. Its imports work on an old Node too. On an old Node it prints one sentence with the required
 * version. Otherwise it loads the program. If a package of it is not installed, it prints which one and what to run.
 */
import { findNodeProblem } from "../node-version.ts";

const problem = findNodeProblem(process.versions.node);
if (problem === null) {
  const { cacheCompiledCode } = await import("./start/compile-cache.ts");
  cacheCompiledCode();
  try {
    await import("./main.ts");
  } catch (error) {
    const { toInstallError } = await import("../install-problem.ts");
    const problem = toInstallError(error);
    if (problem === null) {
      throw error;
    }
    process.stderr.write(`licet: ${problem.message}\n  hint: ${problem.hint}\n`);
    process.exitCode = 1;
  }
} else {
  process.stderr.write(`${problem}\n`);
  // The exit code of a usage error (exit-code.ts is not loaded here).
  process.exitCode = 2;
}
