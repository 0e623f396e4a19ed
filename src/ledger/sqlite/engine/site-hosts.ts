/** Hosts of site rows; they never change. */
import type { Connection } from "./connection.ts";

const MAX_CACHED_HOSTS = 20_000;

export interface SiteHosts {
  hostOf(siteId: number): string;
  discard(): void;
}

export function createSiteHosts(db: Connection): SiteHosts {
  const hosts = new Map<number, string>();
  const select = db.prepare<[number], string>("SELECT host FROM site WHERE id = ?").pluck();
  return {
    hostOf(siteId) {
      let host = hosts.get(siteId);
      if (host === undefined) {
        host = select.get(siteId);
        if (host === undefined) {
          throw new Error(`bug: site ${siteId} is referred to but does not exist`);
        }
        if (hosts.size >= MAX_CACHED_HOSTS) {
          hosts.clear();
        }
        hosts.set(siteId, host);
      }
      return host;
    },
    discard: () => hosts.clear(),
  };
}
