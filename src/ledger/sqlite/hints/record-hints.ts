import type { NewHint } from "../../hint-ledger.ts";
import type { SqlValue } from "../engine/statements.ts";
import type { Answered, Asked, Tx } from "../operation.ts";

/**
 * Notifications of pages that are not bought: a sender can make up as many as it likes, so only the newest are kept. They are evidence
 * for a person; nothing is decided from them.
 */
const MAX_IGNORED = 5_000;
/**
 * For how long an undated notification that arrives again is the same one: a gateway tries to deliver it for a day. After that it is
 * another one of the same page. Of delivery records it stays the same one: each reading finds it again.
 */
const UNDATED_REPEAT_MS = 86_400_000;
/** How long before the arrival of an undated notification its page may have changed. */
const UNDATED_MS = 60_000;

const INSERT_HINT = `INSERT INTO hint (subscription, site_id, url, wire_url, kind, timestamp, at, changed_after, source, received_at, state, ended_at)
  VALUES (@subscription, @siteId, @url, @wireUrl, @kind, @timestamp, @at, @changedAfter, @source, @now, @state, @endedAt)
  ON CONFLICT (wire_url, timestamp, kind) DO UPDATE SET subscription = excluded.subscription, site_id = excluded.site_id,
    url = excluded.url, source = excluded.source, received_at = excluded.received_at, state = excluded.state, ended_at = NULL,
    changed_after = excluded.changed_after, run_id = NULL, tries = 0, not_before = 0
  WHERE excluded.state = 'waiting' AND (hint.state IN ('unknown_site', 'excluded') OR
    (hint.state = 'done' AND hint.at IS NULL AND excluded.source = 'delivery' AND hint.received_at <= @now - ${UNDATED_REPEAT_MS}))`;

/**
 * Writes: hint, site. Idempotent by wire URL, timestamp and kind: a second call finds each of them `known`. Of one without a date that can
 * be read, within a day.
 */
export function recordHints(tx: Tx, { hints, now }: Asked<"recordHints">): Answered<"recordHints"> {
  const results = hints.map((hint) => (tx.changed(INSERT_HINT, toRow(tx, hint, now)) ? "recorded" : "known"));
  if (hints.some(({ state }) => state !== "waiting")) {
    tx.run`DELETE FROM hint WHERE state IN ('unknown_site', 'excluded') AND id <=
       (SELECT id FROM hint WHERE state IN ('unknown_site', 'excluded') ORDER BY id DESC LIMIT 1 OFFSET ${MAX_IGNORED})`;
  }
  return { results };
}

function toRow(tx: Tx, { host, at, changedAfter, ...hint }: NewHint, now: number): Record<string, SqlValue> {
  const happenedAt = at === null ? null : Math.min(at, now);
  return {
    ...hint,
    siteId: host === null ? null : tx.lookups.siteId(host),
    at: happenedAt,
    changedAfter: Math.min(changedAfter ?? happenedAt ?? now - UNDATED_MS, now),
    now,
    endedAt: hint.state === "waiting" ? null : now,
  };
}
