/** `agent.alerts`: who is told what, and whether they take a test. */

import { toReceivers } from "../../notify/receivers.ts";
import { checkAlerts } from "../checks/check-alerts.ts";
import type { CheckFinding } from "../checks/check-report.ts";
import type { Resources } from "../compose.ts";

/** How the receivers of alerts are listed. */
export interface AlertsOptions {
  /** Sends a test to each receiver. One that takes it gets what was given up for it. @default false */
  readonly test?: boolean | undefined;
}

/** `alerts --json`. */
export interface AlertsReport {
  /** No test failed. */
  readonly ok: boolean;
  readonly receivers: readonly {
    /** The host of a webhook, or the program. */
    readonly to: string;
    readonly form: "json" | "slack" | "program";
    /** What it is told of. */
    readonly kinds: readonly string[];
    /** What came of the test. Null: none was sent. */
    readonly test: CheckFinding | null;
  }[];
}

export async function alertsAgent(resources: Resources, { test = false }: AlertsOptions = {}): Promise<AlertsReport> {
  const tested = test ? await checkAlerts(resources, true) : [];
  const receivers = toReceivers(resources.config.alerts).map(({ label, to, kinds }, index) => ({
    to: label,
    form: to.kind === "webhook" ? to.form : ("program" as const),
    kinds,
    test: tested[index] ?? null,
  }));
  return { ok: tested.every(({ ok }) => ok), receivers };
}
