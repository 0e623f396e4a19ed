import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { createSimulator, type WorldClass } from "./simulate.ts";

const MAX_SEED = 2 ** 40;
const TIMEOUT_MS = 120_000;

it.each<[WorldClass, number]>([
  ["crawls", 8],
  ["meetings", 4],
])(
  "new worlds of %s keep every promise too (%d)",
  async (worldClass, seeds) => {
    const simulator = await createSimulator(worldClass);
    try {
      const first = randomInt(1_000_000, MAX_SEED);
      for (let seed = first; seed < first + seeds; seed += 1) {
        const { violation } = await simulator.run(seed);
        expect(violation, `npm run simulate -- --class ${worldClass} --seed ${seed}`).toBeNull();
      }
    } finally {
      simulator.close();
    }
  },
  TIMEOUT_MS,
);
