/**
 * The tests of a policy, which stand beside its rules: a page, its rates, and the verdict that is expected. A test is decided by the code that
 * decides the pages of a run, with nothing else: no budget's balance, no ledger, no gateway.
 */
import { canonicalPageUrl } from "../catalog/page-url.ts";
import { pathOfUrl } from "../catalog/url-path.ts";
import type { RateListing } from "../rates/rate.ts";
import type { DecideContext } from "./decide-page.ts";
import { type Expectation, meetsExpectation } from "./expectation.ts";
import { type Explanation, explainIndexing, explainPage } from "./explain-page.ts";
import type { CompiledPolicy } from "./match-rule.ts";

/** One of `policies.<name>.tests`. */
export interface PolicyTest {
  /** The policy's name. */
  readonly policy: string;
  /** Position among the policy's tests, from 0. */
  readonly index: number;
  /** The address of a page, as it is written. */
  readonly url: string;
  /** Empty under `intent: indexing`. */
  readonly listing: RateListing;
  /** epoch ms, or how long before the test: null when the page's modification is not known. */
  readonly modified: { readonly at: number } | { readonly agoMs: number } | null;
  readonly expected: Expectation;
}

export interface PolicyTestOutcome extends Explanation {
  readonly passed: boolean;
}

/** @param compiled the policy of the test */
export function runPolicyTest(test: PolicyTest, compiled: CompiledPolicy, context: DecideContext): PolicyTestOutcome {
  const page = { path: pathOfTest(test), lastModAt: modifiedAt(test, context.now) };
  const explained =
    compiled.policy.intent === "indexing"
      ? explainIndexing(page, compiled, context.now)
      : explainPage(page, test.listing, compiled, context);
  return { ...explained, passed: meetsExpectation(explained.verdict, test.expected) };
}

function pathOfTest({ url }: PolicyTest): string {
  return pathOfUrl(canonicalPageUrl(url) ?? url);
}

function modifiedAt({ modified }: PolicyTest, now: number): number | null {
  if (modified === null) {
    return null;
  }
  return "at" in modified ? modified.at : now - modified.agoMs;
}
