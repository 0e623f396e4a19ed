import { describe, expect, it } from "vitest";
import { createDecisionTurns } from "../../../src/pipeline/decide/decision-turns.ts";

/** Lets everything that is ready go on. */
async function settle(): Promise<void> {
  for (let step = 0; step < 10; step += 1) {
    await Promise.resolve();
  }
}

describe("the turns of a site's batches", () => {
  it("go in the order of the batches, whatever order the answers come in", async () => {
    const turns = createDecisionTurns();
    const decided: string[] = [];
    const batches = ["1.1", "2.1", "3.1"].map((leaseId) => ({ leaseId, turn: turns.enter() }));
    const work = async ({ leaseId, turn }: (typeof batches)[number]) => {
      turn.isOf("a.example");
      await turn.wait();
      decided.push(leaseId);
      turn.leave();
    };
    const ends = [];
    for (const batch of batches.toReversed()) {
      ends.push(work(batch));
      await settle();
    }
    await Promise.all(ends);
    expect(decided).toEqual(["1.1", "2.1", "3.1"]);
  });

  it("do not wait for another site, once the batch of that site was read", async () => {
    const turns = createDecisionTurns();
    const first = turns.enter();
    const second = turns.enter();
    let isDecided = false;
    second.isOf("b.example");
    const waiting = second.wait().then(() => {
      isDecided = true;
    });
    await settle();
    expect(isDecided).toBe(false);
    first.isOf("a.example");
    await waiting;
    expect(isDecided).toBe(true);
  });

  it("pass a batch that is returned for another attempt", async () => {
    const turns = createDecisionTurns();
    const first = turns.enter();
    const second = turns.enter();
    first.isOf("a.example");
    second.isOf("a.example");
    const waiting = second.wait();
    first.leave();
    await expect(waiting).resolves.toBeUndefined();
  });
});
