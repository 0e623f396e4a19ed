/**
 * The body of a usage report (gateway-spec § Endpoints 3). It is frozen once and sent byte for byte until it is answered
 * (promise 5), so the same input must always give the same bytes: keys in a fixed order, no white space.
 */
import { assertBug } from "../errors.ts";

/** One aggregated line of a report (gateway-spec § Usage entry). */
export interface ReportedEntry {
  readonly url: string;
  /** A whole number, 1 or more. */
  readonly timesUsed: number;
  readonly licenseType: string;
  /** Sent when known; needed for CUSTOM_LICENSE. */
  readonly licenseCuid: string | null;
  /** The names of the licence's permissions, where the gateway wants them and they are known. @default not sent */
  readonly licensePermissions?: readonly string[] | null;
}

/** How a gateway wants its reports written (gateway-notes). */
export interface ReportForm {
  /** What the licence's id is called on the wire: `licenseCuid` or `licenseId`. */
  readonly licenseIdField: string;
  /** Whether the permissions of each entry's licence are sent. @default false */
  readonly reportPermissions?: boolean | undefined;
}

export interface UsageReport {
  readonly idempotencyId: string;
  /** In the order in which they are sent. */
  readonly entries: readonly ReportedEntry[];
  /**
   * What the licence's id is called on the wire; some gateways say `licenseId` (gateway-notes).
   * @default "licenseCuid"
   */
  readonly licenseIdField?: string;
}

/** The deterministic UTF-8 bytes of `{idempotencyId, usage}`. An entry that no gateway could take is a bug. */
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
