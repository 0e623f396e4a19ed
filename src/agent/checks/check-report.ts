import type { Setting } from "../../config/settings.ts";
import type { ListedVerdict, RuleFinding } from "../../policy/verdict.ts";
import type { ListedRates } from "../../rates/listed-rate.ts";

/** How a check went. */
export const CHECK_LEVELS = ["ok", "warning", "failed"] as const;

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

/** `warning`: it works, and somebody should look at it. `failed`: it does not work. */
export type CheckLevel = (typeof CHECK_LEVELS)[number];

/** One thing that was tried. */
export interface CheckFinding {
  readonly name: string;
  readonly level: CheckLevel;
  /** False where it failed; a warning is not a failure. */
  readonly ok: boolean;
  /** Of a warning or a failure that others name too: a denial reason or an error code. Null: none. */
  readonly code: string | null;
  readonly detail: string;
  readonly hint: string | null;
}

/** `check --json`: what was tried, and what came of it. */
export interface CheckReport {
  /** Nothing failed. */
  readonly ok: boolean;
  /** How many checks are warnings. */
  readonly warnings: number;
  readonly checks: readonly CheckFinding[];
  /** The tests of the policies, in the order of the configuration. */
  readonly policyTests: readonly PolicyTestReport[];
  /** The configuration with every default, without secrets. */
  readonly settings: readonly Setting[];
}

/** How the configuration is checked. */
export interface CheckOptions {
  /** Checks only the configuration and the tests of its policies: opens no ledger, connects to nothing. @default false */
  readonly offline?: boolean | undefined;
  /** Sends a test to each receiver of `alerts`. Otherwise each is only reached. @default false */
  readonly alerts?: boolean | undefined;
}

export function passed(name: string, detail: string): CheckFinding {
  return { name, level: "ok", ok: true, code: null, detail, hint: null };
}

/** @param advice.code a denial reason or an error code, where one says it */
export function warned(
  name: string,
  detail: string,
  { hint = null, code = null }: { readonly hint?: string | null; readonly code?: string | null } = {},
): CheckFinding {
  return { name, level: "warning", ok: true, code, detail, hint };
}

export function failed(
  name: string,
  detail: string,
  { hint = null, code = null }: { readonly hint?: string | null; readonly code?: string | null } = {},
): CheckFinding {
  return { name, level: "failed", ok: false, code, detail, hint };
}
