import { Halt } from "./halt.ts";
import type { ProcessJob } from "./process.ts";
import type { World } from "./world.ts";

/** Lets one process work until its end, which must be a good one: nothing disturbs it. */
export async function runAlone(
  world: World,
  kind: string,
  job: ProcessJob,
  own: Omit<Parameters<World["start"]>[0], "kind" | "job"> = {},
): Promise<void> {
  const process = world.start({ kind, job, ...own });
  await world.runUntil(
    () => process.hasEnded,
    () => {},
  );
  world.note(() => `${process.name} ended: ${JSON.stringify(process.result) ?? String(process.error)}`);
  if (process.error !== null) {
    const detail = `${process.name} failed without a fault: ${String(process.error)}`;
    throw new Halt({ promise: "liveness", rule: "works-without-faults", detail });
  }
}
