import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Stores the compiled code of licet and its dependencies for the next start, which saves a quarter of the time of a short command
 * (docs/performance.md). It uses the user's own directory, because another user could have written files to the shared temporary
 * directory. When the directory cannot be written (a read-only container), nothing is stored and there is no message.
 * `NODE_DISABLE_COMPILE_CACHE=1` turns it off.
 */
export function cacheCompiledCode(): void {
  enableCompileCache(join(homedir(), ".cache", "licet", "compiled"));
}
