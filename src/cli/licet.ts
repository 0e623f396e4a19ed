#!/usr/bin/env node
/**
 * What `licet` starts. It has no import that an old Node could fail on: that Node is told what is needed, in one sentence, and everything else
 * is loaded after that.
 */
import { findNodeProblem } from "../node-version.ts";

const problem = findNodeProblem(process.versions.node);
if (problem === null) {
  const { cacheCompiledCode } = await import("./compile-cache.ts");
  cacheCompiledCode();
  await import("./main.ts");
} else {
  process.stderr.write(`${problem}\n`);
  // As for any other use that cannot work (exit-code.ts, which is not loaded here).
  process.exitCode = 2;
}
