import type { Setting } from "../../config/settings.ts";
import type { PolicyTestReport } from "./policy-test-report.ts";

/** How a check went. */
export const CHECK_LEVELS = ["ok", "warning", "failed"] as const;
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
