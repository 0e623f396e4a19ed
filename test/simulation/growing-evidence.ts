import type { Evidence, RunLimits } from "./checks/evidence.ts";
import type { Notice } from "./checks/notifications.ts";

/** The evidence while it is still being gathered. */
export interface GrowingEvidence extends Evidence {
  now: number;
  readonly operations: Evidence["operations"][number][];
  readonly overchargedUrls: Set<string>;
  readonly otherLicenseUrls: ReadonlySet<string>;
  readonly refusedReports: Set<string>;
  readonly changedAt: Map<string, number>;
  readonly runStarts: Map<string, number>;
  readonly runLimits: Map<string, readonly RunLimits[]>;
  generation: number;
  faultsAreOver: boolean;
  readonly notices: Notice[];
  noticesSettledAt?: number;
  recordsReadFrom?: number;
}
