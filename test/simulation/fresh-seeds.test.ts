import { randomInt } from "node:crypto";
import { expect, it } from "vitest";
import { createSimulator } from "./simulate.ts";

const SEEDS = 20;
const MAX_SEED = 2 ** 40;
const TIMEOUT_MS = 120_000;

it(
  `${SEEDS} new worlds keep every promise too`,
  async () => {
    const simulator = await createSimulator();
    try {
      const first = randomInt(1_000_000, MAX_SEED);
      for (let seed = first; seed < first + SEEDS; seed += 1) {
        const { violation } = await simulator.run(seed);
        expect(violation, `npm run simulate -- --seed ${seed}`).toBeNull();
      }
    } finally {
      simulator.close();
    }
  },
  TIMEOUT_MS,
);
