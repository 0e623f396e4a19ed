import { setFlagsFromString } from "node:v8";

/**
 * Gives young objects more room. licet's pages live as long as a request and a commit take; with V8's default young
 * generation most of them are copied once or twice before they die, which costs a tenth of the processor time of a fast crawl
 * (docs/performance.md). Takes some 10 MB. To be called before there is much to copy.
 */
export function growYoungGeneration(): void {
  for (const flag of ["--min-semi-space-size=16", "--max-semi-space-size=32", "--semi-space-growth-factor=4"]) {
    setFlagsFromString(flag);
  }
}
