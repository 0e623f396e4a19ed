import { type Micros, toMicros } from "../../../money/micros.ts";
import type { Currency } from "../../../money/money.ts";
import type { RateListing } from "../../../rates/rate.ts";
import type { Candidate, CandidateCursor, CandidateQuery, CandidateWorth } from "../../candidate-ledger.ts";
import { FRONTIER_PAGE_COLUMNS, type FrontierPageRow, toFrontierPage } from "../frontier/frontier-pages.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";

type Lane = CandidateCursor["lanes"][number];

interface CandidateRow extends FrontierPageRow {
  readonly siteId: number;
  readonly listing: string | null;
  readonly rank: number;
  readonly currency: Currency | null;
  readonly costMicros: number;
  readonly age: number;
  /** The URL as the order has it. */
  readonly orderUrl: string;
}

const COLUMNS = `${FRONTIER_PAGE_COLUMNS}, c.site_id AS siteId, g.json AS listing, c.rank, c.currency, c.cost_micros AS costMicros, c.age,
  c.url AS orderUrl`;
const TABLES = `candidate c JOIN page p ON p.id = c.page_id LEFT JOIN listing g ON g.id = c.listing_id
  LEFT JOIN listed_page l ON l.run_id = c.run_id AND l.page_id = c.page_id`;

const SELECT_LANE = `SELECT ${COLUMNS} FROM ${TABLES}
  WHERE c.run_id = ? AND c.currency IS ? AND (c.rank, c.cost_micros, c.age, c.url) > (?, ?, ?, ?)
    AND c.cost_micros <= ?
  ORDER BY c.rank, c.cost_micros, c.age, c.url LIMIT ?`;

/** Reads: candidate, by its index; page, listing, listed_page. */
export function readCandidates(tx: ReadTx, query: Asked<"readCandidates">): Answered<"readCandidates"> {
  const runRowId = tx.runs.idOf(query.runId);
  if (runRowId === null) {
    return { candidates: [], next: null };
  }
  const lanes: readonly Lane[] =
    query.after?.lanes ??
    tx.values<Currency | null>`SELECT DISTINCT currency FROM candidate WHERE run_id = ${runRowId} ORDER BY currency`.map(
      (currency) => ({ currency, behind: null }),
    );
  const read = lanes.map((lane) => ({ lane, rows: readLane(tx, runRowId, lane, query) }));
  const merge = query.order === "newest" ? mergeByRank : mergeInTurns;
  const taken = merge(read.map(({ rows }) => rows)).slice(0, query.limit);
  const takenIds = new Set(taken.map(({ pageId }) => pageId));
  const next = read.map(({ lane, rows }) => ({
    currency: lane.currency,
    behind: toKey(rows.findLast(({ pageId }) => takenIds.has(pageId))) ?? lane.behind,
  }));
  return { candidates: taken.map((row) => toCandidate(tx, row)), next: taken.length === 0 ? null : { lanes: next } };
}

function readLane(tx: ReadTx, runRowId: number, { currency, behind }: Lane, { limit, room = {} }: CandidateQuery) {
  const { rank, costMicros, age, url } = behind ?? BEFORE_ALL;
  const most = currency === null ? Number.MAX_SAFE_INTEGER : (room[currency] ?? Number.MAX_SAFE_INTEGER);
  return tx.all<CandidateRow>(SELECT_LANE, runRowId, currency, rank, costMicros, age, url, most, limit);
}

const BEFORE_ALL = { rank: Number.NEGATIVE_INFINITY, costMicros: -1, age: 0, url: "" };

function toKey(row: CandidateRow | undefined): Lane["behind"] {
  return row === undefined ? null : { rank: row.rank, costMicros: row.costMicros, age: row.age, url: row.orderUrl };
}

/** What costs nothing first (its lane is the first one), then one of each currency in turn. */
function mergeInTurns(lanes: readonly (readonly CandidateRow[])[]): readonly CandidateRow[] {
  const [first = [], ...others] = lanes;
  const isFree = first[0]?.currency === null;
  const paid = isFree ? others : lanes;
  const merged: CandidateRow[] = isFree ? [...first] : [];
  for (let turn = 0; paid.some((lane) => turn < lane.length); turn += 1) {
    merged.push(...paid.flatMap((lane) => lane.slice(turn, turn + 1)));
  }
  return merged;
}

function mergeByRank(lanes: readonly (readonly CandidateRow[])[]): readonly CandidateRow[] {
  // Stable: of the same date and age, the lanes keep their order.
  return lanes.flat().sort((a, b) => a.rank - b.rank);
}

const SELECT_ONE = `SELECT ${COLUMNS} FROM ${TABLES} WHERE c.run_id = ? AND c.page_id = ?`;

/** Reads: candidate, page, listing, listed_page. */
export function findCandidates(tx: ReadTx, { runId, pageIds }: Asked<"findCandidates">): Answered<"findCandidates"> {
  const runRowId = tx.runs.idOf(runId);
  return pageIds.flatMap((pageId) => {
    const row = runRowId === null ? undefined : tx.get<CandidateRow>(SELECT_ONE, runRowId, pageId);
    return row === undefined ? [] : [toCandidate(tx, row)];
  });
}

/** Reads: candidate. */
export function readWorths(tx: ReadTx, { runId, limit }: Asked<"readWorths">): Answered<"readWorths"> {
  const runRowId = tx.runs.idOf(runId);
  const rows =
    runRowId === null
      ? []
      : tx.all<{
          pageId: number;
          siteId: number;
          costMicros: number;
          currency: Currency;
          value: number;
        }>`SELECT page_id AS pageId, site_id AS siteId, cost_micros AS costMicros, currency, value
      FROM candidate WHERE run_id = ${runRowId} AND value > 0 AND cost_micros > 0 ORDER BY rank, cost_micros, age, url LIMIT ${limit + 1}`;
  return rows.length > limit
    ? null
    : rows.map(
        ({ siteId, costMicros, ...row }): CandidateWorth => ({
          ...row,
          host: tx.hosts.hostOf(siteId),
          costMicros: toMicros(costMicros) as Micros,
        }),
      );
}

function toCandidate(tx: ReadTx, row: CandidateRow): Candidate {
  return {
    ...toFrontierPage(row),
    host: tx.hosts.hostOf(row.siteId),
    listing: row.listing === null ? null : (JSON.parse(row.listing) as RateListing),
    rank: row.rank,
    line: row.line,
  };
}
