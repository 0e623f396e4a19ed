/**
 * 403 on every page of a site means that the account is not enabled for it (gateway-notes § Answers that differ between
 * deployments): then it should be said once and the site stopped, not once a page. One refused page means only that page.
 */

/** So many 403s in a row, with no page of the site granted in between or before, stop it. */
export const FORBIDDEN_IN_A_ROW = 5;

export interface SiteHealth {
  /** A page was granted: the account is enabled. */
  granted(host: string): void;
  /** A page was forbidden. True for exactly one call per site: the one that shows that the site is not enabled. */
  forbidden(host: string): boolean;
}

export function createSiteHealth(): SiteHealth {
  const refusals = new Map<string, number>();
  const grantedHosts = new Set<string>();
  return {
    granted: (host) => {
      grantedHosts.add(host);
    },
    forbidden: (host) => {
      if (grantedHosts.has(host)) {
        return false;
      }
      const count = (refusals.get(host) ?? 0) + 1;
      refusals.set(host, count);
      return count === FORBIDDEN_IN_A_ROW;
    },
  };
}
