import type { SimulatedProcess } from "../process.ts";
import type { World } from "../world.ts";

/** A process hangs for so long at least: what it would have done meanwhile, it does then. */
export function suspend({ scheduler, note }: World, process: SimulatedProcess, ms: number): void {
  // Its events wait already for the end of an earlier pause: one that ended before would wake half of the process.
  process.suspendedUntil = Math.max(process.suspendedUntil ?? 0, scheduler.now + ms);
  note(() => `${process.name} hangs for ${ms} ms`);
}
