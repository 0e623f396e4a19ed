/** The run ids of the port against the row ids of the tables. Neither ever changes. */
import { createBoundedCache } from "./bounded-cache.ts";
import type { Statements } from "./statements.ts";

const MAX_CACHED_RUNS = 1_000;

export interface RunNames {
  /** The row id of a run; null when the ledger does not know it. */
  idOf(name: string): number | null;
  /** The port's run id of a row. */
  nameOf(id: number): string;
  discard(): void;
}

export function createRunNames(statements: Statements): RunNames {
  const ids = createBoundedCache<number>(MAX_CACHED_RUNS);
  const names = new Map<number, string>();
  return {
    idOf(name) {
      const cached = ids.get(name);
      if (cached !== undefined) {
        return cached;
      }
      const id = statements.value<number>`SELECT id FROM run WHERE name = ${name}`;
      if (id === undefined) {
        return null;
      }
      ids.set(name, id);
      return id;
    },
    nameOf(id) {
      let name = names.get(id);
      if (name === undefined) {
        name = statements.value<string>`SELECT name FROM run WHERE id = ${id}`;
        if (name === undefined) {
          throw new Error(`bug: run ${id} is referred to but does not exist`);
        }
        if (names.size >= MAX_CACHED_RUNS) {
          names.clear();
        }
        names.set(id, name);
      }
      return name;
    },
    discard() {
      ids.clear();
      names.clear();
    },
  };
}

/** Hosts of site rows; they never change. */
const MAX_CACHED_HOSTS = 20_000;

export interface SiteHosts {
  hostOf(siteId: number): string;
  discard(): void;
}

export function createSiteHosts(statements: Statements): SiteHosts {
  const hosts = new Map<number, string>();
  return {
    hostOf(siteId) {
      let host = hosts.get(siteId);
      if (host === undefined) {
        host = statements.value<string>`SELECT host FROM site WHERE id = ${siteId}`;
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
