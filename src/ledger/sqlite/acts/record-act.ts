import type { ActedBy, ActKind } from "../../../act/act.ts";
import type { Tx } from "../operation.ts";

/** What an act is about: one of them, or nothing but the ledger itself. A plan is about the run that buys from it, too. */
interface ActSubject {
  readonly purchaseId?: number;
  readonly reportId?: number;
  readonly itemId?: number;
  readonly runId?: string;
  readonly host?: string;
  readonly alertKey?: string;
  readonly planDigest?: string;
}

interface ActRecord extends ActSubject {
  readonly kind: ActKind;
  /** Undefined: the caller did not say who. */
  readonly who: ActedBy | undefined;
  readonly count?: number;
  readonly now: number;
}

/**
 * Writes: act. Called within the write that the act is, so that neither stands without the other. A request that has done what it asks for breaks the
 * index of requests, and the write with it. @returns its number
 */
export function recordAct(tx: Tx, { kind, who, count = 1, now, ...about }: ActRecord): number {
  const { purchaseId = null, reportId = null, itemId = null, runId = null } = about;
  const { host = null, alertKey = null, planDigest = null } = about;
  const { by = null, reason = null, requestKey = null } = who ?? {};
  return tx.insert`INSERT INTO act (kind, at, actor, reason, purchase_id, usage_batch_id, open_item_id, run_name, host, alert_key, plan_digest,
      request_key, count)
    VALUES (${kind}, ${now}, ${by}, ${reason}, ${purchaseId}, ${reportId}, ${itemId}, ${runId}, ${host}, ${alertKey}, ${planDigest},
      ${requestKey}, ${count})`;
}
