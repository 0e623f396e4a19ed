import { PerformanceObserver } from "node:perf_hooks";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Enough for the objects of the pages under way, which exist only during a request and a commit. Node 24 lets it grow to 100 MB, which no
 * page gets faster by: 190 MB of peak memory instead of 280, at the same processor time (docs/performance.md).
 */
const YOUNG_GENERATION_BYTES = 16 * 1_024 * 1_024;

/**
 * The old generation may grow by so many percent of what a collection has left of it. By itself, V8 sometimes collected nothing of it in a whole run: of eleven runs of
 * 20,000 pages three had a peak of 223 to 255 MB, and the others of 193 to 202 (docs/performance.md).
 */
const OLD_GENERATION_GROWTH_PERCENT = 75;

/**
 * Bounds what V8 keeps of objects that nobody needs any more. The young generation grows until it is large enough, and no further: its size can only be set before
 * Node starts, but by which factor it grows can be set later.
 */
export function boundHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${OLD_GENERATION_GROWTH_PERCENT}`);
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space");
    if (young !== undefined && young.space_size >= YOUNG_GENERATION_BYTES) {
      setFlagsFromString("--semi-space-growth-factor=1");
      observer.disconnect();
    }
  });
  observer.observe({ entryTypes: ["gc"] });
}

/** And of a process that works for months. */
const OLD_GENERATION_GROWTH_PERCENT_OF_A_SERVICE = 200;

/**
 * For a service, which may have more. With four workers it had some 50 MB in use, and V8 began to mark all of it again one to five seconds after each
 * collection, with 40 to 60 MB of room left below its limit. With a higher limit it begins half as often (docs/performance.md).
 */
export function letOldGenerationGrow(): void {
  setFlagsFromString(`--heap-growing-percent=${OLD_GENERATION_GROWTH_PERCENT_OF_A_SERVICE}`);
}
