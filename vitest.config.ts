import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/build-once.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    // One more than the two cores that CI has: the crash suites wait for leases and backoffs most of the time.
    maxWorkers: 3,
  },
});
