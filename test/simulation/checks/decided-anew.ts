/** Promise 2, over several processes of a run: a resume decides anew (design § Runs). */
import type { Evidence, StepRule } from "./evidence.ts";

export function createDecidedAnew(evidence: Evidence): StepRule {
  /** In which generation of processes each purchase was reserved. */
  const reservedIn = new Map<number, number>();
  return (step) => {
    const current = evidence.generation ?? 0;
    for (const { before, now } of step.purchases) {
      const generation = reservedIn.get(now.id) ?? current;
      reservedIn.set(now.id, generation);
      // What is only reserved when no process is alive waits again: the next process quotes and decides it under the terms of that time.
      if (before?.state === "reserved" && now.state === "started" && generation < current) {
        const detail = `purchase ${now.id} of ${now.url} is started as it was reserved before ${now.run} was resumed`;
        return { promise: 2, rule: "resuming-decides-anew", detail };
      }
    }
    return null;
  };
}
