import type { Answered, Asked, ReadTx } from "../operation.ts";

/** Reads: run_site. A run asks it before its first request, so no report is loaded for it. */
export function readStops(tx: ReadTx, runId: Asked<"readStops">): Answered<"readStops"> {
  return tx.all<
    Answered<"readStops">[number]
  >`SELECT s.host, rs.stop, coalesce(rs.stop_detail, rs.stop) AS detail FROM run r
    JOIN run_site rs ON rs.run_id = r.id JOIN site s ON s.id = rs.site_id WHERE r.name = ${runId} AND rs.stop IS NOT NULL ORDER BY rs.position`;
}
