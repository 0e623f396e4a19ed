import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Runs that are looked back on: what a catalog did long ago says little of what it does now. */
const RECENT_RUNS = 200;

/** Reads: run, tally, site. */
export function createReadRepurchases({ db, read }: LedgerCore): Ledger["readRepurchases"] {
  const select = db.prepare<[number, string], { repurchased: number; repurchasedEqual: number }>(
    `SELECT coalesce(sum(iif(t.kind = 'repurchased', t.count, 0)), 0) AS repurchased,
       coalesce(sum(iif(t.kind = 'repurchased_equal', t.count, 0)), 0) AS repurchasedEqual
     FROM (SELECT id FROM run WHERE kind = 'run' ORDER BY id DESC LIMIT ?) r
     JOIN tally t ON t.run_id = r.id AND t.site_id = (SELECT id FROM site WHERE host = ?)
       AND t.kind IN ('repurchased', 'repurchased_equal')`,
  );
  return ({ hosts }) =>
    read(() =>
      hosts.map((host) => ({ host, ...(select.get(RECENT_RUNS, host) as NonNullable<ReturnType<typeof select.get>>) })),
    );
}
