import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Keeps the compiled code of licet and its dependencies for the next start: a quarter of the time of a short command
 * (docs/performance.md). In the user's own directory, because what lies in the shared temporary one could have been put there by
 * somebody else. Where it cannot be written (a read-only container) nothing is kept, and nothing is said.
 * `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 */
export function cacheCompiledCode(): void {
  enableCompileCache(join(homedir(), ".cache", "licet", "compiled"));
}
