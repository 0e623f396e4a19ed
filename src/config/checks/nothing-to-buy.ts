/** Checks whether a configuration leaves anything to buy. A new one may be empty, so that it is a warning and not an error. */

interface Sections {
  readonly sites: readonly unknown[];
  /** By name, as written or resolved. */
  readonly policies: ReadonlyMap<string, unknown> | Readonly<Record<string, unknown>>;
}

/** @returns a warning, or null when there is a site */
export function warnOfNothingToBuy({ sites, policies }: Sections): string | null {
  if (sites.length > 0) {
    return null;
  }
  const count = policies instanceof Map ? policies.size : Object.keys(policies).length;
  const empty = count === 0 ? "sites and policies are empty" : "sites is empty";
  return `${empty}: nothing can be bought. Add a site with its policy`;
}
