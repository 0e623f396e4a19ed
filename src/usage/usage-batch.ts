/**
 * Builds the body of a usage report. The body is frozen once and sent byte for byte until it is
 * answered (promise 5). The same input must always give the same bytes: keys in a fixed order, no white space.
 */
import { assertBug } from "../errors.ts";

/** One aggregated line of a report. */
export interface ReportedEntry {
  readonly url: string;
  /** A whole number, 1 or more. */
  readonly timesUsed: number;
  readonly licenseType: string;
  /** Sent when it is known. Required for CUSTOM_LICENSE. */
  readonly licenseCuid: string | null;
  /** The names of the license's permissions, if the gateway wants them and they are known. @default not sent */
  readonly licensePermissions?: readonly string[] | null;
}

/** The form of reports that a gateway expects. */
export interface ReportForm {
  /** The field name of the license id on the wire: `licenseCuid` or `licenseId`. */
  readonly licenseIdField: string;
  /** Whether the permissions of each entry's license are sent. @default false */
  readonly reportPermissions?: boolean | undefined;
}

export interface UsageReport {
  readonly idempotencyId: string;
  /** In the order of the wire. */
  readonly entries: readonly ReportedEntry[];
  /**
   * The field name of the license id on the wire; some gateways use `licenseId`.
   * @default "licenseCuid"
   */
  readonly licenseIdField?: string;
}

/** The deterministic UTF-8 bytes of `{idempotencyId, usage}`. An invalid entry is a bug. */
export function buildUsageBody(report: UsageReport): Uint8Array {
  const { idempotencyId, entries, licenseIdField = "licenseCuid" } = report;
  assertBug(idempotencyId !== "", "a usage report needs an idempotency id");
  assertBug(entries.length > 0, "a usage report needs at least one entry");
  const usage = entries.map((entry) => toWireEntry(entry, licenseIdField));
  return new TextEncoder().encode(JSON.stringify({ idempotencyId, usage }));
}

function toWireEntry(entry: ReportedEntry, licenseIdField: string): Record<string, unknown> {
  const { url, timesUsed, licenseType, licenseCuid, licensePermissions = null } = entry;
  assertBug(Number.isSafeInteger(timesUsed) && timesUsed > 0, `${timesUsed} is not a count of uses`);
  assertBug(licenseType !== "CUSTOM_LICENSE" || licenseCuid !== null, "a custom licence is reported with its id");
  return {
    url,
    timesUsed,
    licenseType,
    ...(licenseCuid === null ? {} : { [licenseIdField]: licenseCuid }),
    ...(licensePermissions === null ? {} : { licensePermissions: licensePermissions.map((name) => ({ name })) }),
  };
}
