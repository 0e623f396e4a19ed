import { execFileSync } from "node:child_process";

/**
 * Compiles licet once before the tests, for those that start real processes (the command line, workers, crashes).
 * LICET_TEST_NO_BUILD skips it when a build is known to be fresh.
 */
export default function buildOnce(): void {
  if (process.env.LICET_TEST_NO_BUILD === undefined) {
    for (const command of [["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"], ["bundle.ts"]]) {
      execFileSync(process.execPath, command, { stdio: "inherit" });
    }
    // Two of the lanes need it.
    process.env.LICET_TEST_NO_BUILD = "1";
  }
}
