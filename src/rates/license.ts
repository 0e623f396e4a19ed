/** Licence types of gateway-spec § License. A gateway may list others: they are shown, never bought. */
export const LICENSE_TYPES = ["ON_DEMAND_LICENSE", "ON_DEMAND_FULL_USE_LICENSE", "CUSTOM_LICENSE"] as const;
/** The licence types of the specification. */
export type LicenseType = (typeof LICENSE_TYPES)[number];

/** Permissions named by gateway-spec § License. Rules may name others too: a gateway can add some at any time. */
export const KNOWN_PERMISSIONS = ["PARTIAL_USE", "FULL_USE", "CITATION_REQUIRED"] as const;

/** A licence as a gateway lists it. */
export interface License {
  /** One of LICENSE_TYPES, or whatever else the gateway sent. */
  readonly licenseType: string;
  /** `license.cuid` of bulk rates and receipts, `license.id` of single rates and content; null when absent. */
  readonly cuid: string | null;
  /** Where the licence can be read. */
  readonly licensePath: string | null;
  /**
   * null when the gateway did not say them, or not readably: that is not the same as none. Rules take unknown permissions for whatever
   * keeps a page from being bought (policy/match-rule.ts).
   */
  readonly permissions: readonly string[] | null;
}

export function isLicenseType(value: string): value is LicenseType {
  return (LICENSE_TYPES as readonly string[]).includes(value);
}
