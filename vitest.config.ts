import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { PATIENCE, TEST_TIMEOUT_MS } from "./test/doubles/patience.ts";
import { makeDirectory } from "./test/doubles/temporary-files.ts";

// For what the tests start, too: children have the environment of the runner.
process.env.TMPDIR = makeDirectory(process.env.TMPDIR);
// Threads and programs that a test starts from the sources: Node takes the types out of a file once, not at each start.
process.env.NODE_COMPILE_CACHE ??= join(process.env.TMPDIR, "compiled");

/** What these suites start are processes of the compiled licet. */
const BUILD = ["test/build-once.ts"];

export default defineConfig({
  test: {
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    expect: { poll: PATIENCE },
    setupFiles: ["test/doubles/same-examples.ts"],
    pool: "forks",
    // A process for each file costs a third of a second of processor time, 80 s in all. Without it, a file that leaves something
    // behind is found, because it disturbs the next one.
    isolate: false,
    // More than the two cores that CI has: the crash suites wait for leases and backoffs most of the time.
    maxWorkers: 6,
    // The lanes of CONTRIBUTING.md.
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts", "test/tidy.test.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "component",
          include: ["test/{component,contract,crawl,cli,lifecycle}/**/*.test.ts"],
          globalSetup: BUILD,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/browser/make-ledgers.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "promises",
          include: ["test/{promises,simulation,fail-nth,crash,hostile,audit,soak}/**/*.test.ts"],
          globalSetup: [...BUILD, "test/crash/bundle-program.ts"],
        },
      },
    ],
  },
});
