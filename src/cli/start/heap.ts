import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Enough for the objects of the pages under way, which exist only during a request and a commit. Node 24 lets it grow to 100 MB, which no
 * page gets faster by: 190 MB of peak memory instead of 280, at the same processor time (docs/performance.md).
 */
const YOUNG_GENERATION_BYTES = 16 * 1_024 * 1_024;

/**
 * Lets V8's young generation grow until it is large enough, and no further. The size itself can only be set before Node starts; what can
 * be set is by which factor it grows.
 */
export function boundYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young !== undefined && young.space_size >= YOUNG_GENERATION_BYTES) {
      setFlagsFromString("--semi-space-growth-factor=1");
      observer.disconnect();
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}

/** The old generation may grow by so many percent of what a collection has left of it. Of 50 MB, V8 itself let it grow by some 100 percent. */
const OLD_GENERATION_GROWTH_PERCENT = 200;

/**
 * For a process that works for months. A service with four workers had some 50 MB in use, and V8 began to mark all of it again one to five seconds after each
 * collection, with 40 to 60 MB of room left below its limit. With a higher limit it begins half as often (docs/performance.md).
 */
export function letOldGenerationGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${OLD_GENERATION_GROWTH_PERCENT}`);
}
