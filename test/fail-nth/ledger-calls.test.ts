/** Each call of the ledger's port fails once: not done, or done and not told. */
import { afterAll, describe, expect, test } from "vitest";
import { createFaultPoint, type Duration, NO_FAULT } from "../support/nth-fault.ts";
import type { LedgerFault } from "../support/nth-ledger.ts";
import { failEachNth, sayTried, type Tally } from "../support/nth-loop.ts";
import { MIXED_PLAN, type NthPlan, TIGHT_PLAN } from "../support/nth-plans.ts";
import { type Leavings, NOTHING_LEFT, playStory } from "../support/nth-story.ts";
import { removeTemplate } from "../support/nth-world.ts";

const tally: Tally = { lives: 0, faults: 0 };
afterAll(async () => {
  await removeTemplate();
  console.info(`fail-nth, calls of the ledger: ${tally.faults} faults in ${tally.lives} lives`);
});

const SAMPLING = { dense: 30, stride: 7 };

const FAULTS: readonly (LedgerFault & { readonly name: string })[] = [
  { name: "finds the file busy", code: "SQLITE_BUSY", when: "before" },
  { name: "finds the disk full", code: "SQLITE_FULL", when: "before" },
  { name: "finds the disk broken", code: "SQLITE_IOERR", when: "before" },
  { name: "is committed, and the caller told that the file is busy", code: "SQLITE_BUSY", when: "after" },
  { name: "is committed, and the caller told that the disk is broken", code: "SQLITE_IOERR", when: "after" },
];
const PLANS: readonly (readonly [string, NthPlan])[] = [
  ["a mixed run", MIXED_PLAN],
  ["a run under a tight budget", TIGHT_PLAN],
];
const DURATIONS: readonly Duration[] = ["single", "lasting"];

describe.each(PLANS)(`in %s, the nth call of the ledger (${sayTried(SAMPLING)})`, (_name, plan) => {
  const cases = FAULTS.flatMap((fault) =>
    DURATIONS.map((duration) => [`${fault.name} (${duration})`, { ...fault, duration }] as const),
  );
  test.each(cases)("%s", async (_title, { code, when, duration }) => {
    const problems = await failEachNth(SAMPLING, tally, (n) => {
      const point = createFaultPoint(n, duration);
      const ledger = { fault: { code, when }, calls: point, statements: NO_FAULT };
      // Content that can be kept nowhere for good is lost, whatever one does.
      const leavings: Leavings = {
        ...NOTHING_LEFT,
        doubts: duration === "lasting" && when === "before" ? "charged" : "none",
      };
      return playStory(plan, { faults: { ledger }, point, leavings });
    });
    expect(problems).toEqual([]);
  });
});
