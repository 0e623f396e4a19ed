import type { LedgerCore } from "../ledger-core.ts";
import { recordLines } from "../lists/record-lines.ts";
import type { Answered, Asked } from "../operation.ts";
import { beginIn } from "./begin-run.ts";
import { leaseBatches } from "./leases.ts";
import { clearLeftovers } from "./leftovers.ts";

/** Reads and writes what `beginRun`, `recordLines` and `leaseBatches` do, in one transaction. Idempotent like each of them. */
export async function beginFetch(
  core: LedgerCore,
  { begin, lines, lease }: Asked<"beginFetch">,
): Promise<Answered<"beginFetch">> {
  await clearLeftovers(core, begin);
  const { runId, process, now } = begin;
  const own = { runId, process, now };
  return core.write((tx) => {
    const begun = beginIn(tx, begin);
    const recorded = recordLines(tx, { ...lines, ...own });
    return { begun, recorded, leases: leaseBatches(tx, { ...lease, ...own }) };
  });
}
