/**
 * Promise 5: every use is recorded once and reported once. A report's id and body are frozen before the first attempt, and are sent
 * byte for byte until an answer settles them.
 */
import type { Evidence, StepRule, Violation } from "./evidence.ts";
import type { History, Step } from "./history.ts";
import { prepareLedgerRows, type UseRow } from "./ledger-rows.ts";
import { add, type Sums } from "./sums.ts";

/** Times used, by page and license. */
type Times = Sums;

export function createReportedOnce(evidence: Evidence, history: History): StepRule {
  const recorded: Times = new Map();
  const accepted: Times = new Map();
  return (step) =>
    judgeReports(step, history, recorded, accepted) ??
    judgeBatches(step) ??
    judgeGivenUp(step, evidence) ??
    judgeUses(step, recorded);
}

/** Called with batches and uses as of the commit before: what was sent must have been on disk. */
function judgeReports({ received }: Step, { reports }: History, recorded: Times, accepted: Times): Violation | null {
  for (const report of received) {
    const isFrozen = [...reports.values()].some(
      ({ idempotencyId, body }) => idempotencyId === report.idempotencyId && body === report.body,
    );
    // A report that arrives was frozen before, with this id and these bytes.
    if (!isFrozen) {
      return broken("sent-as-frozen", `report ${report.idempotencyId} arrived, which no batch holds so`);
    }
    for (const use of report.outcome === "accepted" ? report.uses : []) {
      const key = useKey(use);
      add(accepted, key, use.times);
      // The gateway never counts more uses than were recorded.
      if ((accepted.get(key) ?? 0) > (recorded.get(key) ?? 0)) {
        return broken(
          "never-reported-twice",
          `${key}: ${recorded.get(key) ?? 0} recorded, ${accepted.get(key)} reported`,
        );
      }
    }
  }
  return null;
}

/** A batch keeps its id and its bytes. */
function judgeBatches({ reports }: Step): Violation | null {
  for (const { before, now } of reports) {
    if (before !== null && (before.idempotencyId !== now.idempotencyId || before.body !== now.body)) {
      return broken("batch-is-frozen", `batch ${now.id} was ${before.idempotencyId} and has changed`);
    }
    // It is born frozen: its bytes are on disk before anything is known of its answer. Settled stays settled.
    if (before === null ? now.state !== "frozen" : before.state === "settled" && now.state !== "settled") {
      return broken("batch-state", `batch ${now.id} went from ${before?.state} to ${now.state}`);
    }
  }
  return null;
}

/** `reporting.window`, less an hour. */
const WINDOW_MS = 23 * 3_600_000;

/** Given up is what may have arrived, and that for as long as its window says: what certainly did not arrive is sent again. */
function judgeGivenUp({ reports }: Step, { unknownSince, now }: Evidence): Violation | null {
  const givenUp = reports.filter(
    ({ before, now: row }) => row.state === "needs_reconcile" && before?.state !== row.state,
  );
  for (const { now: row } of givenUp) {
    const since = unknownSince(row.idempotencyId);
    if (since === null || now - since < WINDOW_MS) {
      const what = since === null ? "never left unanswered" : `unanswered for ${now - since} ms`;
      return broken("given-up-after-silence", `report ${row.idempotencyId} is given up, and was ${what}`);
    }
  }
  return null;
}

function judgeUses({ uses }: Step, recorded: Times): Violation | null {
  for (const { before, now } of uses) {
    if (before === null) {
      add(recorded, useKey(now), now.state === "not_reported" ? 0 : now.times);
    } else if (before.times !== now.times || useKey(before) !== useKey(now)) {
      // What was recorded is a fact.
      return broken(
        "use-is-a-fact",
        `use ${now.id} was ${before.times} of ${useKey(before)}, is ${now.times} of ${useKey(now)}`,
      );
    } else if (
      before.state === "settled" ||
      (before.state !== "rejected" && before.state !== "pending" && now.state === "pending")
    ) {
      // Once it is in a report it never waits for another, unless that was refused; once it is settled, it is over.
      return broken("use-goes-one-way", `use ${now.id} went from ${before.state} to ${now.state}`);
    }
  }
  return null;
}

/** At the end the gateway has counted every recorded use exactly once, except those whose report it refuses, which are listed. */
export function endReportedOnce(evidence: Evidence, history: History): Violation[] {
  const { uses, reports } = prepareLedgerRows(evidence.db);
  const due: Times = new Map();
  for (const use of uses.all()) {
    add(due, useKey(use), use.state === "not_reported" || use.state === "rejected" ? 0 : use.times);
  }
  for (const { uses: reported, outcome } of evidence.account.reports) {
    for (const use of outcome === "accepted" ? reported : []) {
      add(due, useKey(use), -use.times);
    }
  }
  const missing = [...due].filter(([, times]) => times !== 0);
  const changed = reports.all().filter(({ id, idempotencyId, body }) => {
    const known = history.reports.get(id);
    return known === undefined || known.idempotencyId !== idempotencyId || known.body !== body;
  });
  return [
    ...missing.map(([key, times]) => broken("every-use-is-reported", `${key}: ${times} more recorded than reported`)),
    ...changed.map(({ id }) => broken("batch-is-frozen", `batch ${id} is not what was frozen`)),
    ...endUses(evidence),
    ...endOperations(evidence),
  ];
}

/** Rows that are wrong by themselves, each with what is wrong in words. */
const WRONG_USES: readonly (readonly [rule: string, sql: string])[] = [
  // A line of a report names all its uses and nothing else (those of a batch that was refused may have moved on).
  [
    "line-is-its-uses",
    `SELECT format('line %d reports %d uses, %d are recorded', e.id, e.times, coalesce(sum(u.times), 0))
     FROM usage_entry e LEFT JOIN use u ON u.entry_id = e.id
     WHERE NOT EXISTS (SELECT 1 FROM usage_batch half WHERE half.parent_id = e.batch_id) GROUP BY e.id
     HAVING e.times <> coalesce(sum(u.times), 0) AND NOT (max(u.id) IS NULL AND (SELECT b.state FROM usage_batch b WHERE b.id = e.batch_id) = 'rejected')`,
  ],
  // A use belongs to the batch that decides about it: settled in a settled one, rejected in a rejected one that lists it.
  [
    "use-is-as-its-batch",
    `SELECT format('use %d is %s in a batch that is %s', u.id, u.state, b.state) FROM use u JOIN usage_entry e ON e.id = u.entry_id JOIN usage_batch b ON b.id = e.batch_id
     WHERE u.state <> 'batched' AND u.state <> b.state`,
  ],
  [
    "rejected-is-listed",
    `SELECT format('use %d is rejected and no open item says so', u.id) FROM use u JOIN usage_entry e ON e.id = u.entry_id
     WHERE u.state = 'rejected' AND NOT EXISTS (SELECT 1 FROM open_item i WHERE i.kind = 'rejected_entry' AND i.batch_id = e.batch_id AND i.closed_at IS NULL)`,
  ],
  // A document is one fetch, recorded once.
  [
    "one-fetch-a-purchase",
    "SELECT format('purchase %d has %d fetches', purchase_id, count(*)) FROM use WHERE kind = 'fetch' GROUP BY purchase_id HAVING count(*) > 1",
  ],
  // What billed uses were charged on the report is their share of the receipt, to the micro: a line may hold uses that are not billed.
  [
    "charged-by-receipt",
    `SELECT format('line %d has uses charged %d, its receipt says %d for %d', id, charged, total, times)
     FROM (SELECT e.id, e.times, coalesce(r.total_micros, e.unit_micros * e.times) AS total, sum(u.charged_micros) AS charged, sum(u.times) AS used
       FROM usage_entry e JOIN usage_batch b ON b.id = e.batch_id LEFT JOIN receipt r ON r.entry_id = e.id
         JOIN use u ON u.entry_id = e.id AND u.billed = 1 AND u.state = 'settled'
       WHERE r.id IS NOT NULL OR b.receipts_as_expected_at IS NOT NULL GROUP BY e.id)
     WHERE abs(charged * times - total * used) >= times`,
  ],
];

/** The pages whose uses are rejected although the gateway does not refuse them. */
export function listInnocent({ db, refusedReports }: Pick<Evidence, "db" | "refusedReports">): readonly string[] {
  const rejected = db
    .prepare<[], string>("SELECT DISTINCT g.url FROM use u JOIN page g ON g.id = u.page_id WHERE u.state = 'rejected'")
    .pluck()
    .all();
  return rejected.filter((url) => !refusedReports.has(url));
}

function endUses({ db, refusedReports }: Evidence): Violation[] {
  const wrong = WRONG_USES.flatMap(([rule, sql]) =>
    db
      .prepare<[], string>(sql)
      .pluck()
      .all()
      .map((detail) => broken(rule, detail)),
  );
  // Only what the gateway refuses is rejected: its neighbours in a batch are not.
  const innocent = listInnocent({ db, refusedReports });
  return [
    ...wrong,
    ...innocent.map((url) => broken("rejected-alone", `the uses of ${url} are rejected for no reason`)),
  ];
}

/** The uses that operators recorded are there, once: all confirmed uses, and no use that they did not request. */
function endOperations({ db, operations }: Evidence): Violation[] {
  const kept = new Map(
    db
      .prepare<[], [string, number]>(
        "SELECT g.url, sum(u.times) FROM use u JOIN page g ON g.id = u.page_id WHERE u.kind = 'use' GROUP BY g.url",
      )
      .raw()
      .all(),
  );
  const asked: Times = new Map();
  const accepted: Times = new Map();
  for (const operation of operations) {
    if (operation.kind === "use") {
      add(asked, operation.url, operation.times);
      add(accepted, operation.url, operation.recorded ? operation.times : 0);
    }
  }
  const urls = new Set([...kept.keys(), ...asked.keys()]);
  return [...urls].flatMap((url) => {
    const [times, least, most] = [kept.get(url) ?? 0, accepted.get(url) ?? 0, asked.get(url) ?? 0];
    return times < least || times > most
      ? [broken("use-is-recorded-once", `${url}: ${times} uses are recorded of ${least} to ${most}`)]
      : [];
  });
}

function useKey({ url, licenseType, licenseCuid }: Pick<UseRow, "url" | "licenseType" | "licenseCuid">): string {
  return `${url} ${licenseType} ${licenseCuid ?? ""}`;
}

function broken(rule: string, detail: string): Violation {
  return { promise: 5, rule, detail };
}
