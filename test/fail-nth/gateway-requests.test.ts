/** Each request to the gateway goes wrong once, on the wire. */
import { afterAll, describe, expect, test } from "vitest";
import { createFaultPoint, type Duration } from "../support/nth-fault.ts";
import { failEachNth, sayTried, type Tally } from "../support/nth-loop.ts";
import { MIXED_PLAN } from "../support/nth-plans.ts";
import { playStory } from "../support/nth-story.ts";
import { WIRE_FAULTS } from "../support/nth-wire-faults.ts";
import { removeTemplate } from "../support/nth-world.ts";

const tally: Tally = { lives: 0, faults: 0 };
afterAll(async () => {
  await removeTemplate();
  console.info(`fail-nth, requests: ${tally.faults} faults in ${tally.lives} lives`);
});

const SAMPLING = { dense: 1, stride: 7 };
const DURATIONS: readonly Duration[] = ["single", "lasting"];

describe(`the nth request to the gateway (${sayTried(SAMPLING)})`, () => {
  const cases = WIRE_FAULTS.flatMap(({ name, fault, ...leavings }) =>
    DURATIONS.map((duration) => ({
      title: `${name} (${duration})`,
      fault,
      duration,
      leavings: duration === "single" ? leavings.single : leavings.lasting,
    })),
  );
  const table = cases.map((one, index) => [one.title, { ...one, offset: index }] as const);
  test.each(table)("meets %s", async (_title, { fault, duration, leavings, offset }) => {
    const problems = await failEachNth({ ...SAMPLING, offset }, tally, (n) => {
      const point = createFaultPoint(n, duration);
      return playStory(MIXED_PLAN, { faults: { wire: { fault, requests: point } }, point, leavings });
    });
    expect(problems).toEqual([]);
  });
});
