/** Promise 0: the file itself. SQLite's own check covers its pages, indexes, types and CHECKs; then every reference. */
import type { Violation } from "../ledger-reports.ts";
import type { Connection } from "../sqlite/connection.ts";
import { findBrokenRows, limitExamples } from "./broken-rows.ts";

const MAX_MESSAGES = 100;

interface BrokenReference {
  readonly table: string;
  readonly rowid: number | null;
  readonly parent: string;
}

/** Counts that are kept for summaries, against the rows that they count. */
const BROKEN_TALLIES = ["settled", "released", "in_doubt"].map(
  (state) => `
    SELECT format('run %s counts %d purchases %s, its rows are %d', r.name, kept.count, '${state}', count(p.id))
    FROM run r
    JOIN (SELECT run_id, sum(count) AS count FROM tally WHERE kind = '${state}' GROUP BY run_id) kept ON kept.run_id = r.id
    LEFT JOIN purchase p ON p.run_id = r.id AND p.state = '${state}'
    GROUP BY r.id HAVING kept.count <> count(p.id)`,
);

const BROKEN_USE_TALLIES = [
  ["use_recorded", "'pending', 'batched', 'settled', 'rejected', 'not_reported'"],
  ["use_reported", "'settled'"],
  ["use_rejected", "'rejected'"],
].map(
  ([kind, states]) => `
    SELECT format('run %s counts %d uses as %s, its rows are %d', r.name, kept.count, '${kind}', count(u.id))
    FROM run r
    JOIN (SELECT run_id, sum(count) AS count FROM tally WHERE kind = '${kind}' GROUP BY run_id) kept ON kept.run_id = r.id
    LEFT JOIN use u ON u.run_id = r.id AND u.state IN (${states})
    GROUP BY r.id HAVING kept.count <> count(u.id)`,
);

/** References that no FOREIGN KEY names. */
const ORPHANS = [
  "SELECT format('page %s holds purchase %d, which does not exist', url, held_purchase_id) FROM page WHERE held_purchase_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM purchase p WHERE p.id = held_purchase_id)",
  "SELECT format('purchase %d is of site %d, its page of site %d', p.id, p.site_id, g.site_id) FROM purchase p JOIN page g ON g.id = p.page_id WHERE g.site_id <> p.site_id",
  "SELECT format('use %d is of site %d, its page of site %d', u.id, u.site_id, g.site_id) FROM use u JOIN page g ON g.id = u.page_id WHERE g.site_id <> u.site_id",
];

export function auditIntegrity(db: Connection): Violation[] {
  return [
    ...limitExamples(0, checkFile(db)),
    ...limitExamples(0, checkReferences(db)),
    ...findBrokenRows(db, 0, [...ORPHANS, ...BROKEN_TALLIES, ...BROKEN_USE_TALLIES]),
  ];
}

function checkFile(db: Connection): string[] {
  const messages = db.pragma(`integrity_check(${MAX_MESSAGES})`) as { integrity_check: string }[];
  return messages.map(({ integrity_check }) => integrity_check).filter((message) => message !== "ok");
}

function checkReferences(db: Connection): string[] {
  const broken = db.pragma("foreign_key_check") as BrokenReference[];
  return broken.map(({ table, rowid, parent }) => `${table} ${rowid ?? ""} refers to a ${parent} that does not exist`);
}
