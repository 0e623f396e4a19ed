/** The run ids and hosts of the port against the row ids of the tables. Neither ever changes. */
import { assertBug } from "../../../errors.ts";
import { createRowCache } from "./row-cache.ts";
import type { Statements } from "./statements.ts";

const MAX_CACHED_RUNS = 1_000;
const MAX_CACHED_HOSTS = 20_000;

export interface RunNames {
  /** The row id of a run; null when the ledger does not know it. */
  idOf(name: string): number | null;
  /** The port's run id of a row. */
  nameOf(id: number): string;
  discard(): void;
}

export function createRunNames(statements: Statements): RunNames {
  const ids = createRowCache(
    MAX_CACHED_RUNS,
    (name: string) => statements.value<number>`SELECT id FROM run WHERE name = ${name}` ?? null,
  );
  const names = createRowCache(MAX_CACHED_RUNS, (id: number) => {
    const name = statements.value<string>`SELECT name FROM run WHERE id = ${id}`;
    assertBug(name !== undefined, `run ${id} is referred to but does not exist`);
    return name;
  });
  return {
    idOf: ids.get,
    nameOf: names.get,
    discard() {
      ids.discard();
      names.discard();
    },
  };
}

export interface SiteHosts {
  hostOf(siteId: number): string;
  discard(): void;
}

export function createSiteHosts(statements: Statements): SiteHosts {
  const hosts = createRowCache(MAX_CACHED_HOSTS, (siteId: number) => {
    const host = statements.value<string>`SELECT host FROM site WHERE id = ${siteId}`;
    assertBug(host !== undefined, `site ${siteId} is referred to but does not exist`);
    return host;
  });
  return { hostOf: hosts.get, discard: hosts.discard };
}
