import type { CopyLedger, CopyRisks, LedgerCopy } from "../../copy-ledger.ts";
import type { Connection } from "../engine/connection.ts";
import { assertOwnSchema } from "../engine/expected-schema.ts";
import type { LedgerParts } from "../ledger-parts.ts";

export function createCopyOperations(parts: LedgerParts): CopyLedger {
  const readCopy = createReadCopy(parts);
  return { readCopy, readCopyRisks: createReadCopyRisks(parts, readCopy), acceptCopy: createAcceptCopy(parts) };
}

function createReadCopy({ db, read }: LedgerParts): CopyLedger["readCopy"] {
  const select = db.prepare<[], LedgerCopy>(
    "SELECT made_at AS madeAt, made_by AS madeBy, accepted_at AS acceptedAt FROM ledger_copy WHERE id = 1",
  );
  return () => read(() => select.get() ?? null);
}

interface RiskRow {
  readonly lastPurchaseAt: number | null;
  readonly lastReportAt: number | null;
  readonly reserved: number;
  readonly started: number;
  readonly inDoubt: number;
  readonly unreportedUses: number;
  readonly openReports: number;
  readonly unfinishedRuns: number;
}

/** Reads all purchases once, for the latest: nobody accepts copies often. The rest is read by partial indexes. */
function createReadCopyRisks(
  { db, path, read }: LedgerParts,
  readCopy: CopyLedger["readCopy"],
): CopyLedger["readCopyRisks"] {
  const prepare = () =>
    db.prepare<[], RiskRow>(
      `SELECT
         (SELECT max(ended_at) FROM purchase WHERE state = 'settled') AS lastPurchaseAt,
         (SELECT closed_at FROM usage_batch WHERE state = 'settled' ORDER BY id DESC LIMIT 1) AS lastReportAt,
         (SELECT count(*) FROM purchase WHERE ended_at IS NULL AND state = 'reserved') AS reserved,
         (SELECT count(*) FROM purchase WHERE ended_at IS NULL AND state = 'started') AS started,
         (SELECT count(*) FROM purchase WHERE state = 'in_doubt') AS inDoubt,
         (SELECT coalesce(sum(count), 0) FROM counter WHERE name = 'use_pending') AS unreportedUses,
         (SELECT count(*) FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen') AS openReports,
         (SELECT count(*) FROM run WHERE kind <> 'planning' AND state IN ('running', 'interrupted', 'failed') AND taken_over_by IS NULL) AS unfinishedRuns`,
    );
  return async () => {
    const copy = await readCopy();
    if (copy === null) {
      return null;
    }
    return read((): CopyRisks | null => {
      assertOwnSchema(db, path);
      const row = prepare().get();
      if (row === undefined) {
        return null;
      }
      const { reserved, started, inDoubt, ...rest } = row;
      return { copy, ...rest, purchases: { reserved, started, inDoubt } };
    });
  };
}

/** At least so many numbers of documents are left out: the later ledger gave the next ones to other documents, and files of exports have their names. */
const NUMBERS_LEFT_OUT = 1_000_000_000;
/**
 * And so many for each ms of the instant, because an earlier acceptance of the same copy left out numbers too: no ledger gives numbers out as fast
 * as the clock moves on. Only the last digits of the instant count (116 days), so that the numbers stay small.
 */
const NUMBERS_PER_MS = 1_000;
const INSTANTS = 10_000_000_000;

/**
 * Writes: ledger_copy, the next number of a document, and each frozen report with its open item. A report is counted as sent once more, without an answer: the later
 * ledger had its id and its bytes, and may have sent it until its outcome was known (promise 5). Idempotent.
 */
function createAcceptCopy({ db, path, write, outbox, openItems }: LedgerParts): CopyLedger["acceptCopy"] {
  const accept = db
    .prepare<[number], number>(
      "UPDATE ledger_copy SET accepted_at = ? WHERE id = 1 AND accepted_at IS NULL RETURNING made_at",
    )
    .pluck();
  const stop = db
    .prepare<{ madeAt: number; now: number }, number>(
      `UPDATE usage_batch SET state = 'needs_reconcile', closed_at = @now, attempts = attempts + 1,
         unknown_attempts = unknown_attempts + 1, first_attempt_at = coalesce(first_attempt_at, @madeAt),
         unknown_since = coalesce(unknown_since, first_attempt_at, @madeAt)
       WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen' RETURNING id`,
    )
    .pluck();
  const leaveOutNumbers = createLeavingOut(db);
  return ({ now }) =>
    write(() => {
      assertOwnSchema(db, path);
      const madeAt = accept.get(now);
      if (madeAt === undefined) {
        return { accepted: false, toReconcile: 0 };
      }
      leaveOutNumbers(now);
      const reports = stop.all({ madeAt, now });
      for (const reportId of reports) {
        const { idempotencyId, entries } = outbox.read(reportId) ?? { idempotencyId: "?", entries: [] };
        openItems.open({
          kind: "needs_reconcile",
          about: { reportId, entryId: null },
          detail: `the report ${idempotencyId} of ${entries.length} entries was open when this copy of the ledger was made: ask the gateway whether its uses were reported`,
          url: null,
          count: 1,
          at: now,
        });
      }
      return { accepted: true, toReconcile: reports.length };
    });
}

/** SQLite has the row of a table since its first row: a copy without documents has none. */
function createLeavingOut(db: Connection): (now: number) => void {
  const addRow = db.prepare(
    `INSERT INTO sqlite_sequence (name, seq) SELECT 'settled_document', 0
     WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'settled_document')`,
  );
  const moveOn = db.prepare<[number]>("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'settled_document'");
  return (now) => {
    addRow.run();
    moveOn.run(NUMBERS_LEFT_OUT + (now % INSTANTS) * NUMBERS_PER_MS);
  };
}
