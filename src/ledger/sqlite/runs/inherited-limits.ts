/** The limits and the order of a run go over to the run that supersedes it, minus what was used (run-chain.ts). Called within a write. */

import { type OwnLimits, tightenLimits } from "../../../run/limits.ts";
import type { BeginRun } from "../../run-ledger.ts";
import type { Tx } from "../tx.ts";
import { readChainWorkedMs } from "./run-chain.ts";
import { readRunSpec } from "./run-rows.ts";

/** Writes into the new run what it inherits: from its predecessors, oldest first, which are assigned to it already. */
export function inheritLimits(tx: Tx, successorId: number, predecessors: readonly string[], begin: BeginRun): void {
  const specs = predecessors.map((name) => readRunSpec(tx, name));
  const own = specs.reduce<OwnLimits>(
    (limits, spec) => tightenLimits(limits, { callerLimits: NONE, limits: spec }),
    NONE,
  );
  const { maxPages, maxSpend } = tightenLimits(own, begin);
  const order = begin.callerOrder ?? specs.at(-1)?.order ?? null;
  const { maxDurationMs } = begin.limits;
  const spend = [maxSpend?.micros ?? null, maxSpend?.currency ?? null] as const;
  tx.run(
    `UPDATE run SET max_pages = ?, max_spend_micros = ?, max_spend_currency = ?, run_order = coalesce(?, run_order),
     deadline_at = started_at + max(0, ? - ?), inherits_limits = 1 WHERE id = ?`,
    maxPages,
    ...spend,
    order,
    maxDurationMs,
    readChainWorkedMs(tx, successorId),
    successorId,
  );
}

const NONE: OwnLimits = { maxPages: null, maxSpend: null };
