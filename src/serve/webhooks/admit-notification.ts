/**
 * What a notification is for this configuration: a hint about a page of a site, or one that is only recorded. The one rule for webhook
 * deliveries and for the gateway's delivery records, so that an event that comes both ways is one hint.
 */
import { compileEntryFilter } from "../../catalog/entry-filter.ts";
import { canonicalPageUrl, parsePageUrl } from "../../catalog/page-url.ts";
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
  const byOrigin = new Map(
    sites.flatMap((site) => {
      const entry = { host: site.host, exclusionOf: compileEntryFilter(site) };
      return originsOf(site.host).map((origin) => [origin, entry] as const);
    }),
  );
  return ({ contentUrl, kind, timestamp, at }, origin) => {
    const identity = canonicalPageUrl(contentUrl);
    if (identity === null) {
      return null;
    }
    const event = { ...origin, kind, timestamp, at };
    const site = byOrigin.get(new URL(identity).origin);
    const parsed = site === undefined ? null : parsePageUrl(contentUrl, site.host);
    if (site === undefined || parsed === null || !parsed.ok) {
      const received = contentUrl.trim();
      return { ...event, host: null, url: received, wireUrl: received, state: "unknown_site" };
    }
    const { url, wireUrl, path } = parsed.pageUrl;
    const state = site.exclusionOf(path) === null ? "waiting" : "excluded";
    return { ...event, host: site.host, url, wireUrl, state };
  };
}

/** Both schemes: a port that is the default of one is a part of the host under the other. */
function originsOf(host: string): string[] {
  return ["https:", "http:"].flatMap((scheme) => URL.parse(`${scheme}//${host}`)?.origin ?? []);
}
