/**
 * Stage 3: decides each page of a batch by the policy and reserves the money in one ledger transaction. The policy's verdict is a
 * pure function. The ledger checks the budgets inside the transaction that reserves the money (promises 1 and 2).
 */
import type { OpenedQuoteBatch } from "../../ledger/frontier-ledger.ts";
import { ageTermsOf } from "../age-terms.ts";
import { warnOfFlawedRates } from "../quote/flawed-rates.ts";
import { answerAt, type RateAnswer } from "../quote/rate-answer.ts";
import { siteOf } from "../site-of.ts";
import type { StageDeps } from "../stage-deps.ts";
import { toDecisionTerms, toSiteTerms } from "./decision-terms.ts";
import { toPageDecision } from "./page-decision.ts";
import { reportDecided } from "./report-decided.ts";

/** @param answers in the order of the batch's pages; null under `intent: indexing` */
export async function decide(
  deps: StageDeps,
  leaseId: string,
  opened: OpenedQuoteBatch,
  answers: readonly RateAnswer[] | null,
): Promise<void> {
  const { host, pages } = opened;
  const site = siteOf(deps, host);
  const now = deps.clock.now();
  deps.buyingClock.check(now);
  const ages = ageTermsOf(deps, now);
  const decided = await deps.ledger.decide({
    ...toSiteTerms(site, ages),
    ...toDecisionTerms(deps, [host], now, ages),
    leaseId,
    decisions: pages.map((page, index) => toPageDecision(deps, site, page, answerAt(answers, index), now)),
  });
  if (!decided.stale) {
    await deps.book?.note(decided.planned, now);
    warnOfFlawedRates(deps, host, pages, answers, now);
    reportDecided(deps, { host, ...decided });
  }
}
