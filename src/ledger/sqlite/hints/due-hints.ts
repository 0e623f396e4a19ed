import { latestWaitEnd } from "../../../time/wait-end.ts";
import {
  type DueHint,
  HINT_STATES,
  type HintKind,
  type HintState,
  type HintWork,
  type KnownHint,
  LONGEST_HINT_WAIT_MS,
} from "../../hint-ledger.ts";
import type { Ledger } from "../../ledger.ts";
import type { LedgerCore } from "../ledger-core.ts";

/** Reads: hint, through the indexes of those that wait and those that have entered a run. */
export function createReadHintWork(core: LedgerCore): Ledger["readHintWork"] {
  const select = core.db.prepare<[], HintWork>(
    `SELECT s.host, sum(w.waiting) AS waiting, min(w.nextAt) AS nextAt, sum(w.entered) AS entered FROM (
       SELECT site_id, count(*) AS waiting, min(not_before) AS nextAt, 0 AS entered FROM hint WHERE state = 'waiting' GROUP BY site_id
       UNION ALL SELECT site_id, 0, NULL, count(*) FROM hint WHERE state = 'entered' GROUP BY site_id) w
     JOIN site s ON s.id = w.site_id GROUP BY w.site_id`,
  );
  return () => core.read(() => select.all());
}

/** Reads: hint, site. */
export function createListDueHints(core: LedgerCore): Ledger["listDueHints"] {
  const select = core.db.prepare<{ host: string; now: number; latest: number; limit: number }, DueHint>(
    `SELECT id AS hintId, url FROM hint
     WHERE state = 'waiting' AND site_id = (SELECT id FROM site WHERE host = @host) AND (not_before <= @now OR not_before > @latest)
     ORDER BY id LIMIT @limit`,
  );
  return (query) => core.read(() => select.all({ ...query, latest: latestWaitEnd(query.now, LONGEST_HINT_WAIT_MS) }));
}

/** Reads: hint, by page. */
export function createListHintsOf(core: LedgerCore): Ledger["listHintsOf"] {
  const select = core.db.prepare<[string, HintKind, number], KnownHint>(
    `SELECT wire_url AS wireUrl, kind, source, timestamp, received_at AS receivedAt, state FROM hint
     WHERE wire_url = ? AND kind = ? AND received_at >= ? ORDER BY id`,
  );
  return ({ pages, since }) => core.read(() => pages.flatMap(({ wireUrl, kind }) => select.all(wireUrl, kind, since)));
}

/** Reads: every hint, for a person who asks. */
export function createCountHints(core: LedgerCore): Ledger["countHints"] {
  const select = core.db.prepare<[], { state: HintState; count: number }>(
    "SELECT state, count(*) AS count FROM hint GROUP BY state",
  );
  return () =>
    core.read(() => {
      const counts = new Map(select.all().map(({ state, count }) => [state, count]));
      return Object.fromEntries(HINT_STATES.map((state) => [state, counts.get(state) ?? 0])) as Record<
        HintState,
        number
      >;
    });
}
