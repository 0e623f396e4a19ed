import type { PolicyTestReport } from "./policy-test-report.ts";

/** `check --json`: what was tried, and what came of it. */
export interface CheckReport {
  readonly ok: boolean;
  readonly checks: readonly {
    readonly name: string;
    readonly ok: boolean;
    readonly detail: string;
    readonly hint: string | null;
  }[];
  /** The tests of the policies, in the order of the configuration. */
  readonly policyTests: readonly PolicyTestReport[];
}

/** How the configuration is checked. */
export interface CheckOptions {
  /** Checks only the configuration and the tests of its policies: opens no ledger, connects to nothing. @default false */
  readonly offline?: boolean | undefined;
  /** Sends a test to each receiver of `alerts`. Otherwise each is only reached. @default false */
  readonly alerts?: boolean | undefined;
}
