/**
 * Why pages were denied, over several runs. The counters of the runs have the reasons. Denials have no index of time, because each page would have to write
 * it: they are read run by run, the newest first, and only so many.
 */
import type { DenialReason } from "../../../policy/verdict.ts";
import type { DeniedPageOfRun, FoundDenials, RuleDenials } from "../../denial-reports.ts";
import type { Asked } from "../operation.ts";
import type { ReportTx } from "./queries.ts";
import { findRun } from "./read-run-purchases.ts";

/** Runs whose counters one look reads. */
const MAX_RUNS = 5_000;
/** Runs whose denials one look opens. */
const MAX_OPENED_RUNS = 500;
/** Rows of denials that one look reads. */
const MAX_ROWS = 10_000;

type Query = Asked<"readDenials">;

/** The denials that a run counted on one site for one reason. */
interface CountRow {
  readonly run: number;
  readonly host: string;
  readonly reason: DenialReason;
  readonly pages: number;
}

export function readDenials(tx: ReportTx, query: Query): FoundDenials {
  const found = query.runId === null ? findRuns(tx, query) : [findRun(tx, query.runId).id];
  const runs = found.slice(0, MAX_RUNS);
  const rows = tx.all<CountRow>(SELECT_COUNTS, { runs: JSON.stringify(runs), host: query.host });
  const isAsked = ({ reason }: CountRow) => query.reason === null || reason === query.reason;
  const opened = [...new Set(rows.filter(isAsked).map(({ run }) => run))].sort((a, b) => b - a);
  return {
    counts: addUp(rows),
    runs: runs.length,
    isCut: found.length > MAX_RUNS,
    ...countRules(tx, query, opened),
    ...listPages(tx, query, opened),
  };
}

const SELECT_RUNS =
  "SELECT id FROM run WHERE kind <> 'planning' AND started_at >= @from AND started_at < @to ORDER BY id DESC LIMIT @limit";

/** One more than is counted says whether there are older ones. */
const findRuns = (tx: ReportTx, { from, to }: Query) =>
  tx.values<number>(SELECT_RUNS, { from, to, limit: MAX_RUNS + 1 });

const SELECT_COUNTS = `SELECT t.run_id AS run, s.host, t.reason, t.count AS pages FROM json_each(@runs)
  CROSS JOIN tally t ON t.run_id = json_each.value AND t.kind = 'denied' CROSS JOIN site s ON s.id = t.site_id
  WHERE t.count > 0 AND (@host IS NULL OR s.host = @host)`;

function addUp(rows: readonly CountRow[]): FoundDenials["counts"] {
  const counts = new Map<string, { host: string; reason: DenialReason; pages: number }>();
  for (const { host, reason, pages } of rows) {
    const key = `${host} ${reason}`;
    const count = counts.get(key) ?? { host, reason, pages: 0 };
    count.pages += pages;
    counts.set(key, count);
  }
  return [...counts.values()].sort(
    (a, b) => b.pages - a.pages || compare(a.host, b.host) || compare(a.reason, b.reason),
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

interface RuledRow {
  readonly policyName: string;
  readonly ruleIndex: number | null;
  readonly reason: DenialReason;
  readonly host: string;
}

const SELECT_RULED = `SELECT d.policy_name AS policyName, d.rule_index AS ruleIndex, d.reason, s.host
  FROM denial d CROSS JOIN page p ON p.id = d.page_id CROSS JOIN site s ON s.id = p.site_id WHERE d.run_id = @run ORDER BY d.page_id LIMIT @limit`;

function countRules(
  tx: ReportTx,
  { host, reason }: Query,
  runs: readonly number[],
): Pick<FoundDenials, "rules" | "ruledPages"> {
  const rules = new Map<string, { -readonly [Key in keyof RuleDenials]: RuleDenials[Key] }>();
  let ruledPages = 0;
  let left = MAX_ROWS;
  for (const run of runs.slice(0, MAX_OPENED_RUNS)) {
    const rows = left === 0 ? [] : tx.all<RuledRow>(SELECT_RULED, { run, limit: left });
    left -= rows.length;
    for (const row of rows.filter((one) => isOf(one, host, reason))) {
      const { policyName, ruleIndex } = row;
      const key = JSON.stringify([policyName, ruleIndex, row.reason]);
      const rule = rules.get(key) ?? { policyName, ruleIndex, reason: row.reason, pages: 0 };
      rule.pages += 1;
      ruledPages += 1;
      rules.set(key, rule);
    }
  }
  return { rules: [...rules.values()].sort((a, b) => b.pages - a.pages), ruledPages };
}

const isOf = (row: Pick<RuledRow, "host" | "reason">, host: string | null, reason: DenialReason | null) =>
  (host === null || row.host === host) && (reason === null || row.reason === reason);

const LOOKED_AT = "SELECT page_id FROM denial WHERE run_id = @run AND page_id > @after ORDER BY page_id LIMIT @looks";

const SELECT_LOOKED_AT = `SELECT count(*) AS rows, max(page_id) AS last FROM (${LOOKED_AT})`;

const SELECT_PAGES = `SELECT d.page_id AS page, r.name AS runId, p.url, s.host, d.reason, d.detail, d.policy_name AS policyName, d.rule_index AS ruleIndex, d.at
  FROM (${LOOKED_AT}) looked CROSS JOIN denial d ON d.page_id = looked.page_id AND d.run_id = @run CROSS JOIN page p ON p.id = d.page_id
  CROSS JOIN site s ON s.id = p.site_id CROSS JOIN run r ON r.id = d.run_id
  WHERE (@host IS NULL OR s.host = @host) AND (@reason IS NULL OR d.reason = @reason) ORDER BY d.page_id LIMIT @limit`;

/** Goes on behind the cursor, run by run, until the list is full or enough rows were looked at. */
function listPages(
  tx: ReportTx,
  { host, reason, after, limit }: Query,
  runs: readonly number[],
): Pick<FoundDenials, "pages" | "next"> {
  const pages: DeniedPageOfRun[] = [];
  const rest = after === null ? runs : runs.filter((run) => run <= after.run);
  let left = MAX_ROWS;
  for (const [index, run] of rest.entries()) {
    const from = after?.run === run ? after.page : 0;
    if (pages.length === limit || left === 0 || index === MAX_OPENED_RUNS) {
      return { pages, next: { run, page: from } };
    }
    const of = { run, after: from, looks: left };
    const rows = tx.all<DeniedPageOfRun & { readonly page: number }>(SELECT_PAGES, {
      ...of,
      host,
      reason,
      limit: limit - pages.length,
    });
    pages.push(...rows.map(({ page, ...denied }) => denied));
    const last = rows.at(-1);
    if (pages.length === limit && last !== undefined) {
      if (last.page < (tx.value<number>(SELECT_LAST, run) ?? 0)) {
        return { pages, next: { run, page: last.page } };
      }
      // The run ends with this page: the list goes on with the next one.
      continue;
    }
    // Fewer than asked: all rows of this look were looked at.
    const looked = tx.get<{ readonly rows: number; readonly last: number }>(SELECT_LOOKED_AT, of);
    left -= looked?.rows ?? 0;
    if (left === 0) {
      return { pages, next: { run, page: looked?.last ?? from } };
    }
  }
  return { pages, next: null };
}

const SELECT_LAST = "SELECT max(page_id) FROM denial WHERE run_id = ?";
