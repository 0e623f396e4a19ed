/** Examples of catalog entries that are not pages of their site. Called within a write. */
import type { Tx } from "../tx.ts";

/** Examples kept per run, site and reason. */
const MAX_EXAMPLES = 5;
const MAX_RAW_CHARACTERS = 500;
/** Reasons come from licet, but a bound costs nothing. */
const MAX_REASON_CHARACTERS = 200;

const INSERT_EXAMPLE = `INSERT INTO rejected_entry (run_id, site_id, reason, raw)
  SELECT @runRowId, @siteId, @reason, @raw
  WHERE (SELECT count(*) FROM rejected_entry WHERE run_id = @runRowId AND site_id = @siteId AND reason = @reason) < ${MAX_EXAMPLES}`;

/** Keeps the first entries of each reason. What is beyond them is only counted (tally `rejected`). */
export function addRejectedEntries(
  tx: Tx,
  runRowId: number,
  siteId: number,
  entries: readonly { readonly raw: string; readonly reason: string }[],
): void {
  const tried = new Map<string, number>();
  for (const { raw, reason } of entries) {
    const count = (tried.get(reason) ?? 0) + 1;
    tried.set(reason, count);
    if (count <= MAX_EXAMPLES) {
      tx.run(INSERT_EXAMPLE, {
        runRowId,
        siteId,
        reason: reason.slice(0, MAX_REASON_CHARACTERS),
        raw: raw.slice(0, MAX_RAW_CHARACTERS),
      });
    }
  }
}
