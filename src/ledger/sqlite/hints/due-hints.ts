import { latestWaitEnd } from "../../../time/wait-end.ts";
import {
  type DueHint,
  HINT_STATES,
  type HintState,
  type HintWork,
  type KnownHint,
  LONGEST_HINT_WAIT_MS,
} from "../../hint-ledger.ts";
import type { Answered, Asked, ReadTx } from "../operation.ts";

/** Reads: hint, through the indexes of those that wait and those that have entered a run. */
export function readHintWork(tx: ReadTx): Answered<"readHintWork"> {
  return tx.all<HintWork>(`SELECT s.host, sum(w.waiting) AS waiting, min(w.nextAt) AS nextAt, sum(w.entered) AS entered FROM (
      SELECT site_id, count(*) AS waiting, min(not_before) AS nextAt, 0 AS entered FROM hint WHERE state = 'waiting' GROUP BY site_id
      UNION ALL SELECT site_id, 0, NULL, count(*) FROM hint WHERE state = 'entered' GROUP BY site_id) w
    JOIN site s ON s.id = w.site_id GROUP BY w.site_id`);
}

/** Reads: hint, site. */
export function listDueHints(tx: ReadTx, query: Asked<"listDueHints">): Answered<"listDueHints"> {
  return tx.all<DueHint>(
    `SELECT id AS hintId, url FROM hint
     WHERE state = 'waiting' AND site_id = (SELECT id FROM site WHERE host = @host) AND (not_before <= @now OR not_before > @latest)
     ORDER BY id LIMIT @limit`,
    { ...query, latest: latestWaitEnd(query.now, LONGEST_HINT_WAIT_MS) },
  );
}

/** Reads: hint, by page. */
export function listHintsOf(tx: ReadTx, { pages, since }: Asked<"listHintsOf">): Answered<"listHintsOf"> {
  return pages.flatMap(
    ({ wireUrl, kind }) =>
      tx.all<KnownHint>`SELECT wire_url AS wireUrl, kind, source, timestamp, received_at AS receivedAt, state FROM hint
        WHERE wire_url = ${wireUrl} AND kind = ${kind} AND received_at >= ${since} ORDER BY id`,
  );
}

/** Reads: every hint, for a person who asks. */
export function countHints(tx: ReadTx): Answered<"countHints"> {
  const counts = new Map(
    tx
      .all<{ state: HintState; count: number }>("SELECT state, count(*) AS count FROM hint GROUP BY state")
      .map(({ state, count }) => [state, count]),
  );
  return Object.fromEntries(HINT_STATES.map((state) => [state, counts.get(state) ?? 0])) as Record<HintState, number>;
}
