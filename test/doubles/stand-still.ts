/** A process that stands still, as one does that waits for its disk: what comes meanwhile comes all at once. Its threads go on. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
