/** License types of the gateway specification. A gateway may list others: they are shown but never bought. */
export const LICENSE_TYPES = ["ON_DEMAND_LICENSE", "ON_DEMAND_FULL_USE_LICENSE", "CUSTOM_LICENSE"] as const;
/** The license types of the specification. Only these can be bought. */
export type KnownLicenseType = (typeof LICENSE_TYPES)[number];
/** A license type as a gateway names it: one of the specification, or any other text. `isOffer` tells which rates can be bought. */
export type LicenseType = KnownLicenseType | (string & {});

/** Permissions that the gateway specification names. Rules may name others too: a gateway can add some at any time. */
export const KNOWN_PERMISSIONS = ["PARTIAL_USE", "FULL_USE", "CITATION_REQUIRED"] as const;

/** A license as a gateway lists it. */
export interface License {
  readonly licenseType: LicenseType;
  /** `license.cuid` of bulk rates and receipts, `license.id` of single rates and content; null when absent. */
  readonly cuid: string | null;
  /** The address of the license's text. */
  readonly licensePath: string | null;
  /**
   * Null when the gateway did not list them readably. Null is not an empty list: rules treat unknown permissions so that the page
   * is not bought (policy/match-rule.ts).
   */
  readonly permissions: readonly string[] | null;
}

/** Its type, and its id if it has one. */
export function nameLicense({ licenseType, cuid }: Pick<License, "licenseType" | "cuid">): string {
  return cuid === null ? licenseType : `${licenseType} ${cuid}`;
}

export function isLicenseType(value: string): value is KnownLicenseType {
  return (LICENSE_TYPES as readonly string[]).includes(value);
}
