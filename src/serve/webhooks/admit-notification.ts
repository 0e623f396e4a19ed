/**
 * What a notification is for this configuration: a hint about a page of a site, or one that is only recorded. The one rule for webhook
 * deliveries and for the gateway's delivery records, so that an event that comes both ways is one hint.
 */
import { compileEntryFilter } from "../../catalog/entry-filter.ts";
import { canonicalPageUrl, parsePageUrl } from "../../catalog/page-url.ts";
import { createSiteLookup } from "../../catalog/site-lookup.ts";
import type { SiteConfig } from "../../config/config.ts";
import type { HintSource, NewHint } from "../../ledger/hint-ledger.ts";
import type { Notification } from "../../webhook/notification.ts";

export interface NotificationOrigin {
  /** The id of the webhook in the configuration. */
  readonly subscription: string;
  readonly source: HintSource;
}

/** Null: the notification is about something that is not the address of a page. */
export type AdmitNotification = (notification: Notification, origin: NotificationOrigin) => NewHint | null;

type AdmittedSite = Pick<SiteConfig, "host" | "include" | "exclude">;

export function createAdmission(sites: readonly AdmittedSite[]): AdmitNotification {
  const siteOf = createSiteLookup(sites.map((site) => ({ host: site.host, exclusionOf: compileEntryFilter(site) })));
  return ({ contentUrl, kind, timestamp, at }, origin) => {
    if (canonicalPageUrl(contentUrl) === null) {
      return null;
    }
    const event = { ...origin, kind, timestamp, at };
    const site = siteOf(contentUrl);
    const parsed = site === null ? null : parsePageUrl(contentUrl, site.host);
    if (site === null || parsed === null || !parsed.ok) {
      const received = contentUrl.trim();
      return { ...event, host: null, url: received, wireUrl: received, state: "unknown_site" };
    }
    const { url, wireUrl, path } = parsed.pageUrl;
    const state = site.exclusionOf(path) === null ? "waiting" : "excluded";
    return { ...event, host: site.host, url, wireUrl, state };
  };
}
