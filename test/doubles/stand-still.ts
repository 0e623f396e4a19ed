/** A process that stands still, as one does that waits for its disk: what comes meanwhile comes all at once. */
export function standStill(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; ) {}
}
