/** A file that is a copy of a ledger: what it may lack, and its acceptance as the ledger. */
import type { CopyRisks, LedgerCopy } from "../../copy-ledger.ts";
import { recordAct } from "../acts/record-act.ts";
import { assertOwnSchema } from "../engine/expected-schema.ts";
import type { LedgerCore } from "../ledger-core.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import { openItem } from "../usage/open-items.ts";
import { readReport } from "../usage/outbox.ts";
import { reconcileCopied } from "../usage/report-rows.ts";

/** Reads: ledger_copy. */
export function readCopy(tx: ReadTx): LedgerCopy | null {
  return (
    tx.get<LedgerCopy>(
      "SELECT made_at AS madeAt, made_by AS madeBy, accepted_at AS acceptedAt FROM ledger_copy WHERE id = 1",
    ) ?? null
  );
}

type RiskRow = Omit<CopyRisks, "copy" | "purchases"> & CopyRisks["purchases"];

const SELECT_RISKS = `SELECT
  (SELECT max(ended_at) FROM purchase WHERE state = 'settled') AS lastPurchaseAt,
  (SELECT closed_at FROM usage_batch WHERE state = 'settled' ORDER BY id DESC LIMIT 1) AS lastReportAt,
  (SELECT count(*) FROM purchase WHERE ended_at IS NULL AND state = 'reserved') AS reserved,
  (SELECT count(*) FROM purchase WHERE ended_at IS NULL AND state = 'started') AS started,
  (SELECT count(*) FROM purchase WHERE state = 'in_doubt') AS inDoubt,
  (SELECT coalesce(sum(count), 0) FROM counter WHERE name = 'use_pending') AS unreportedUses,
  (SELECT count(*) FROM usage_batch WHERE state IN ('frozen', 'needs_reconcile') AND state = 'frozen') AS openReports,
  (SELECT count(*) FROM run WHERE kind <> 'planning' AND state IN ('running', 'interrupted', 'failed') AND taken_over_by IS NULL) AS unfinishedRuns`;

/** Writes nothing. Reads all purchases once, for the latest: nobody accepts copies often. The rest is read by partial indexes. */
export function readCopyRisks(core: LedgerCore): Promise<Answered<"readCopyRisks">> {
  return core.read((tx): CopyRisks | null => {
    const copy = readCopy(tx);
    if (copy === null) {
      return null;
    }
    assertOwnSchema(core.db, core.path);
    const row = tx.get<RiskRow>(SELECT_RISKS);
    if (row === undefined) {
      return null;
    }
    const { reserved, started, inDoubt, ...rest } = row;
    return { copy, ...rest, purchases: { reserved, started, inDoubt } };
  });
}

/**
 * Writes: ledger_copy, act, the next number of a document, and each frozen report with its open item, in one transaction. A report is counted as sent
 * once more, without an answer: the later ledger had its id and its bytes, and may have sent it until its outcome was known (promise 5). A second
 * call changes nothing: the copy is accepted.
 */
export function acceptCopy(core: LedgerCore, asked: Asked<"acceptCopy">): Promise<Answered<"acceptCopy">> {
  return core.write((tx) => {
    assertOwnSchema(core.db, core.path);
    return accept(tx, asked);
  });
}

function accept(tx: Tx, { who, now }: Asked<"acceptCopy">): Answered<"acceptCopy"> {
  const madeAt = tx.value<number>`UPDATE ledger_copy SET accepted_at = ${now} WHERE id = 1 AND accepted_at IS NULL RETURNING made_at`;
  if (madeAt === undefined) {
    return { accepted: false, toReconcile: 0 };
  }
  recordAct(tx, { kind: "copy_accepted", who, now });
  leaveOutNumbers(tx, now);
  const reports = reconcileCopied(tx, madeAt, now);
  for (const reportId of reports) {
    const { idempotencyId, entries } = readReport(tx, reportId) ?? { idempotencyId: "?", entries: [] };
    openItem(tx, {
      kind: "needs_reconcile",
      about: { reportId, entryId: null },
      detail: `the report ${idempotencyId} of ${entries.length} entries was open when this copy of the ledger was made: ask the gateway whether its uses were reported`,
      url: null,
      count: 1,
      at: now,
    });
  }
  return { accepted: true, toReconcile: reports.length };
}

/** At least so many numbers of documents are left out: the later ledger gave the next ones to other documents, and files of exports have their names. */
const NUMBERS_LEFT_OUT = 1_000_000_000;
/**
 * And so many for each ms of the instant, because an earlier acceptance of the same copy left out numbers too: no ledger gives numbers out as fast
 * as the clock moves on. Only the last digits of the instant count (116 days), so that the numbers stay small.
 */
const NUMBERS_PER_MS = 1_000;
const INSTANTS = 10_000_000_000;

/** From the last number, or from what was left out since. */
function leaveOutNumbers(tx: Tx, now: number): void {
  const count = NUMBERS_LEFT_OUT + (now % INSTANTS) * NUMBERS_PER_MS;
  tx.run`INSERT INTO documents_left_out (id, through)
    SELECT 1, ${count} + max(coalesce((SELECT max(document_number) FROM purchase WHERE document_number IS NOT NULL), 0),
      coalesce((SELECT through FROM documents_left_out), 0))
    WHERE true ON CONFLICT (id) DO UPDATE SET through = excluded.through`;
}
