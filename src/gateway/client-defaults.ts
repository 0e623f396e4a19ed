/** The defaults of a gateway client. The section `gateway` of the configuration takes its defaults from here, so that they stand once. */

/** What a service name may be: it becomes a part of header names and paths. */
export const SERVICE_NAME = /^[A-Za-z][A-Za-z0-9-]{0,63}$/;
export const DEFAULT_SERVICE = "Service";
/** Requests in flight at most, over all methods. */
export const DEFAULT_CONCURRENCY = 64;
export const MAX_CONCURRENCY = 4096;
export const DEFAULT_REQUESTS_PER_SECOND = 200;
/** Entries that one catalog request asks for. */
export const DEFAULT_CATALOG_PAGE_SIZE = 500;
/** Until the first byte of an answer, and between two pieces of it. */
export const DEFAULT_TIMEOUT_MS = 30_000;

/** The field of the license id in the usage entries of a report: the specification's name first, then a known variant. */
export const LICENSE_ID_FIELDS = ["licenseCuid", "licenseId"] as const;
/** The field name of the license id in usage reports. */
export type LicenseIdField = (typeof LICENSE_ID_FIELDS)[number];
export const DEFAULT_LICENSE_ID_FIELD: LicenseIdField = "licenseCuid";

/** The default user agent of an AgentID, which it must contain. */
export function userAgentOf(agentId: string): string {
  return `${agentId}/1.0`;
}
