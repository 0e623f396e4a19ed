/** Promise 6: the ledger is the source of truth: what was committed once is there after every later commit. */
import type { EndState, Evidence, StepRule, Violation } from "./evidence.ts";
import { isForbiddenAllOver } from "./forbidden.ts";
import { newestOf } from "./settings.ts";

/** Facts: their rows are added and never taken away. */
const FACTS = ["purchase", "content", "use", "usage_batch", "usage_entry", "receipt", "resolution"] as const;

export function createResumable({ db }: Evidence): StepRule {
  const count = db
    .prepare<[], number[]>(`SELECT ${FACTS.map((table) => `(SELECT count(*) FROM ${table})`).join(", ")}`)
    .raw();
  let before: readonly number[] = FACTS.map(() => 0);
  return () => {
    const now = count.get() ?? [];
    const lost = FACTS.findIndex((_, index) => (now[index] ?? 0) < (before[index] ?? 0));
    if (lost >= 0) {
      return broken("nothing-disappears", `${FACTS[lost]} had ${before[lost]} rows and has ${now[lost]}`);
    }
    before = now;
    return null;
  };
}

/** What is unfinished, each with the runs that may leave it so: only runs that were not resumed, where that is allowed. */
const UNFINISHED: readonly (readonly [rule: string, sql: string])[] = [
  [
    "no-run-goes-on",
    "SELECT format('run %s is %s', r.name, r.state) FROM run r WHERE r.state IN ('running', 'interrupted', 'failed') AND r.kind <> 'planning' AND (r.taken_over_by IS NULL OR r.state = 'running')",
  ],
  [
    "nothing-stays-reserved",
    "SELECT format('purchase %d of run %s is %s', p.id, r.name, p.state) FROM purchase p JOIN run r ON r.id = p.run_id WHERE p.state IN ('reserved', 'started')",
  ],
  [
    "no-batch-is-left",
    "SELECT format('a %s batch of run %s is left', b.stage, r.name) FROM batch b JOIN run r ON r.id = b.run_id WHERE r.kind <> 'planning'",
  ],
  [
    "no-candidate-is-left",
    "SELECT format('page %d is a candidate of run %s', c.page_id, r.name) FROM candidate c JOIN run r ON r.id = c.run_id WHERE r.kind <> 'planning'",
  ],
];

/** With faults off, every run ends and leaves nothing open, and no report is on its way. */
export function endResumable(evidence: Evidence, end: EndState): Violation[] {
  const { db } = evidence;
  const { interruptedAllowed } = end;
  const hosts = newestOf(evidence).sites.map(({ host }) => `'${host}'`);
  // A run fails for good where the gateway refuses every page that it may buy.
  const refusing = newestOf(evidence).sites.flatMap(({ host }) => (isForbiddenAllOver(host, end) ? [`'${host}'`] : []));
  const refused = ` AND NOT (r.state = 'failed' AND EXISTS (SELECT 1 FROM run_site x JOIN site s ON s.id = x.site_id WHERE x.run_id = r.id AND x.stop = 'not_enabled' AND s.host IN (${refusing.join(", ")})))`;
  // A run stays as it is where the configuration lacks one of its sites: the pages that are left there wait. But it holds nothing.
  const elsewhere = ` AND (r.state = 'running' OR NOT EXISTS (SELECT 1 FROM run_site x JOIN site s ON s.id = x.site_id WHERE x.run_id = r.id AND s.host NOT IN (${hosts.join(", ")})))`;
  // The list of a run is not read while an item that nobody has closed stops each site that it names.
  const stoppedList = ` AND NOT (r.state = 'interrupted' AND EXISTS (SELECT 1 FROM run_list l WHERE l.run_id = r.id AND l.is_read = 0) AND NOT EXISTS (SELECT 1 FROM run_site x JOIN site s ON s.id = x.site_id WHERE x.run_id = r.id AND s.host IN (${hosts.join(", ")}) AND NOT EXISTS (SELECT 1 FROM open_item i WHERE i.site_id = x.site_id AND i.closed_at IS NULL)))`;
  // A run of some of the sites under a limit that the newest run does not have waits for a person: the newest run could buy what its limit forbids.
  const newest = `(SELECT id FROM run WHERE name = '${findNewestWalk(evidence) ?? ""}')`;
  const limited = ` AND NOT (r.kind = 'walk' AND r.state IN ('interrupted', 'failed') AND (SELECT count(*) FROM run_site WHERE run_id = r.id) < (SELECT count(*) FROM run_site WHERE run_id = ${newest}) AND EXISTS (SELECT 1 FROM run n WHERE n.id = ${newest} AND ((r.max_pages IS NOT NULL AND n.max_pages IS NOT r.max_pages) OR (r.max_spend_micros IS NOT NULL AND n.max_spend_micros IS NOT r.max_spend_micros))))`;
  const excuse = interruptedAllowed ? " AND r.state NOT IN ('interrupted', 'failed')" : "";
  // One of notifications that was ended in order holds nothing: its hints wait for the next one.
  const ofHints = " AND (r.key IS NULL OR r.state NOT IN ('interrupted', 'failed'))";
  const queries = [
    ...UNFINISHED.map(
      ([rule, sql]) =>
        [
          rule,
          sql +
            excuse +
            (rule === "no-run-goes-on" ? refused + stoppedList : "") +
            (rule === "nothing-stays-reserved" ? "" : elsewhere + ofHints + limited),
        ] as const,
    ),
    [
      "outbox-is-empty",
      "SELECT format('batch %d is %s', id, state) FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile')",
    ],
    ["outbox-is-empty", "SELECT format('use %d is %s', id, state) FROM use WHERE state IN ('pending', 'batched')"],
  ] as const;
  return queries.flatMap(([rule, sql]) =>
    db
      .prepare<[], string>(sql)
      .pluck()
      .all()
      .map((detail) => broken(rule, detail)),
  );
}

/** By true time: the last one may have gone on with an early run, and a clock that was ahead dates a run after all that follow. */
function findNewestWalk({ db, runLimits }: Evidence): string | undefined {
  const isWalk = db.prepare<[string], number>("SELECT 1 FROM run WHERE name = ? AND kind = 'walk'").pluck();
  return [...(runLimits?.keys() ?? [])].findLast((name) => isWalk.get(name) === 1);
}

function broken(rule: string, detail: string): Violation {
  return { promise: 6, rule, detail };
}
