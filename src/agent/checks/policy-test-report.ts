import type { ListedVerdict, RuleFinding } from "../../policy/verdict.ts";
import type { ListedRates } from "../../rates/listed-rate.ts";

/** One test of a policy, as `check` ran it. */
export interface PolicyTestReport {
  readonly policy: string;
  /** Its number among the tests of the policy, from 1. */
  readonly test: number;
  /** Its place in the configuration, such as `licet.config.yaml:41`; null when the configuration is an object. */
  readonly place: string | null;
  readonly url: string;
  readonly ok: boolean;
  /** As the configuration says it: `allow 2`, `deny denied_by_rule 1`. Rules count from 1. */
  readonly expected: string;
  /** The policy's verdict, in the same words. */
  readonly got: string;
  /** What the rules say of each rate. Null when the test passes. */
  readonly why: {
    /** The policy's rules, as text. */
    readonly rules: readonly string[];
    readonly listing: ListedRates;
    readonly findings: readonly RuleFinding[];
    readonly flawedRates: readonly { readonly rateIndex: number; readonly reason: string }[];
    readonly verdict: ListedVerdict;
  } | null;
}
