import type { ActedBy, ActKind } from "../../../act/act.ts";
import type { Tx } from "../operation.ts";

/** What an act is about: one of them, or nothing but the ledger itself. */
interface ActSubject {
  readonly purchaseId?: number;
  readonly reportId?: number;
  readonly itemId?: number;
  readonly runId?: string;
}

interface ActRecord extends ActSubject {
  readonly kind: ActKind;
  /** Undefined: the caller did not say who. */
  readonly who: ActedBy | undefined;
  readonly count?: number;
  readonly now: number;
}

/** Writes: act. Called within the write that the act is, so that neither stands without the other. @returns its number */
export function recordAct(tx: Tx, { kind, who, count = 1, now, ...about }: ActRecord): number {
  const { purchaseId = null, reportId = null, itemId = null, runId = null } = about;
  const { by = null, reason = null } = who ?? {};
  return tx.value<number>`INSERT INTO act (kind, at, actor, reason, purchase_id, usage_batch_id, open_item_id, run_name, count)
    VALUES (${kind}, ${now}, ${by}, ${reason}, ${purchaseId}, ${reportId}, ${itemId}, ${runId}, ${count}) RETURNING id` as number;
}
