import type { ReadTx } from "../operation.ts";

/** Reads: the first run. Plans are not counted: they leave nothing behind. Each run asks it before its first request, so no report is loaded for it. */
export function hasRuns(tx: ReadTx): boolean {
  return tx.has`SELECT 1 FROM run WHERE kind <> 'planning' ORDER BY id LIMIT 1`;
}
