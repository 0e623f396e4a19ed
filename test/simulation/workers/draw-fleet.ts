/** Workers on other machines in a world: how many there are, what the gateway allows to all together, and how much happens to them. */
import { createRandom } from "../random.ts";
import type { Limits } from "../simulate.ts";

export interface FleetPlan {
  /** Workers that are at work when nothing happens to them. */
  readonly count: number;
  /** Requests in flight that each can have. */
  readonly places: number;
  /** What the gateway allows. */
  readonly limits: { readonly concurrency: number; readonly requestsPerSecond: number | null };
  /** How often one of them is stopped, and another one comes, at an occasion. */
  readonly changes: number;
  /** One worker is of another version. */
  readonly hasStranger: boolean;
}

/** Among those who take part in a world. */
export const WORKERS = "workers";

/** Has a stream of its own. Half of the worlds have no workers. */
export function drawFleet(seed: number, { withoutActors }: Pick<Limits, "withoutActors">): FleetPlan | null {
  const random = createRandom(seed, WORKERS);
  const count = random.pick([0, 0, 0, 1, 2, 3]);
  if (count === 0 || withoutActors.has(WORKERS)) {
    return null;
  }
  return {
    count,
    places: random.pick([1, 2, 8]),
    limits: { concurrency: random.pick([1, 3, 6, 12]), requestsPerSecond: random.pick([null, null, 4, 15, 60]) },
    changes: random.pick([0, 0.02, 0.05]),
    hasStranger: random.chance(0.15),
  };
}
