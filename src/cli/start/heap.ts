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

/** The old generation may be so many percent more than what a collection has left of it. V8's own choice is around 100. */
const OLD_GENERATION_GROWTH_PERCENT = 200;

/**
 * For a process that works for months. V8 begins to mark the whole heap when less than a young generation is left below the limit of the old one. With
 * the young generation above and some 50 MB in use, that was the case soon after each collection, so a service with four workers marked its heap
 * again and again: a tenth of its processor time (docs/performance.md).
 */
export function letOldGenerationGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${OLD_GENERATION_GROWTH_PERCENT}`);
}
