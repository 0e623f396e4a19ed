/**
 * The seven promises at every commit. The rules stand one promise a file, read the ledger by SQL on its file and do their own
 * arithmetic: a checker that shared licet's code would share its bugs.
 */
import { createNoOverspend } from "./1-no-overspend.ts";
import { createWithinPolicy } from "./2-within-policy.ts";
import { createOneCharge } from "./3-one-charge.ts";
import { createNothingLost } from "./4-nothing-lost.ts";
import { createReportedOnce } from "./5-reported-once.ts";
import { createResumable } from "./6-resumable.ts";
import { createBadInput } from "./7-bad-input.ts";
import type { Evidence, StepRule, Violation } from "./evidence.ts";
import { createStepReader, historyOf, remember } from "./history.ts";

/**
 * To be called once after every commit, before any request reaches the gateway: what arrived there since the call before is held
 * against the ledger as that call saw it. Once it has found a violation, it is not to be called again.
 */
export function createStepChecker(evidence: Evidence): () => Violation | null {
  const history = historyOf(evidence);
  const readStep = createStepReader(evidence, history);
  const rules: readonly StepRule[] = [
    createWithinPolicy(evidence, history),
    createOneCharge(evidence, history),
    createNothingLost(evidence, history),
    createNoOverspend(evidence, history),
    createReportedOnce(evidence, history),
    createResumable(evidence),
    createBadInput(evidence),
  ];
  return () => {
    const step = readStep();
    for (const rule of rules) {
      const violation = rule(step);
      if (violation !== null) {
        return violation;
      }
    }
    remember(history, step);
    return null;
  };
}
