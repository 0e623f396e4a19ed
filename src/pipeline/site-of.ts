import { LicetError } from "../errors.ts";
import type { SiteSettings, StageDeps } from "./stage-deps.ts";

/** @throws LicetError USAGE_INVALID when a resumed run names a site that the configuration no longer has */
export function siteOf(deps: Pick<StageDeps, "sites">, host: string): SiteSettings {
  const site = deps.sites.get(host);
  if (site === undefined) {
    throw new LicetError("USAGE_INVALID", `the run crawls ${host}, which the configuration does not have`, {
      hint: `put ${host} back under "sites", or start a new run`,
      details: { host },
    });
  }
  return site;
}
