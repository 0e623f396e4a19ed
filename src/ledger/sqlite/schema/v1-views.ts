/**
 * The views for people with an SQL tool (docs/ledger.md). Tables change with licet; what a `v1_` view shows does not: columns may be added,
 * none is renamed or removed, and none gets another meaning or unit. Amounts are integers of micros, instants are ISO 8601 in UTC.
 *
 * SQLite refuses to rename a table that a view reads. A migration that rebuilds a table drops the views first and makes them again.
 */
import type { SQL } from "drizzle-orm";
import { sql, sqliteView } from "../engine/drizzle.ts";

/** Epoch ms as ISO 8601, as in `--json`; NULL stays NULL. */
function isoInstant(column: string): SQL {
  return sql.raw(`strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`);
}

export const v1Runs = sqliteView("v1_runs", {}).as(sql`
SELECT r.name AS run_id, r.state, r.reason, r.started_by AS "trigger",
  ${isoInstant("r.started_at")} AS started_at, ${isoInstant("r.ended_at")} AS ended_at,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'seen'), 0) AS pages_seen,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'settled'), 0) AS pages_bought,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'in_doubt'), 0) AS pages_in_doubt
FROM run r LEFT JOIN tally t ON t.run_id = r.id
WHERE r.kind <> 'planning' GROUP BY r.id`);

export const v1Purchases = sqliteView("v1_purchases", {}).as(sql`
SELECT p.id AS purchase_id, r.name AS run_id, s.host, g.url, p.url AS bought_url, p.state, p.reason, p.detail, p.intent,
  p.policy_name AS policy, u.text AS rule, l.license_type, l.cuid AS license_cuid,
  p.currency, p.quoted_micros, p.fee_micros AS quoted_fee_micros,
  p.charged_currency, p.charged_micros, p.charged_fee_micros,
  CASE WHEN p.state IN ('reserved', 'started', 'in_doubt') THEN p.quoted_micros + p.fee_micros + p.use_reserve_micros ELSE 0 END AS set_aside_micros,
  ${isoInstant("p.reserved_at")} AS reserved_at, ${isoInstant("p.ended_at")} AS ended_at
FROM purchase p JOIN run r ON r.id = p.run_id JOIN site s ON s.id = p.site_id JOIN page g ON g.id = p.page_id
  LEFT JOIN rule u ON u.id = p.rule_id LEFT JOIN license l ON l.id = p.license_id`);

export const v1Documents = sqliteView("v1_documents", {}).as(sql`
SELECT g.url, s.host, p.id AS purchase_id, r.name AS run_id, p.intent, l.license_type, l.cuid AS license_cuid, l.permissions AS license_permissions,
  CASE p.intent WHEN 'content' THEN p.charged_micros END AS price_micros, coalesce(p.charged_currency, p.currency) AS currency,
  ${isoInstant("g.held_at")} AS stored_at, c.content_hash, c.title, c.author, c.published, c.modified,
  coalesce(c.markdown, d.markdown) AS markdown, c.html, c.markdown_zstd, c.html_zstd
FROM page g JOIN site s ON s.id = g.site_id JOIN purchase p ON p.id = g.held_purchase_id JOIN content c ON c.purchase_id = p.id
  JOIN run r ON r.id = p.run_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN derived_markdown d ON d.purchase_id = p.id
WHERE NOT EXISTS (SELECT 1 FROM content x WHERE x.purchase_id = c.purchase_id AND x.purged_at IS NOT NULL)`);

/** One row a version, also of what was purged: what was bought, under which terms, and what became of it. */
export const v1Evidence = sqliteView("v1_evidence", {}).as(sql`
SELECT g.url, s.host, p.id AS purchase_id, r.name AS run_id, p.url AS bought_url, p.intent, 'sha256:' || c.content_hash AS hash,
  p.policy_name AS policy, p.rule_index + 1 AS rule_number, u.text AS rule, l.license_type, l.cuid AS license_cuid, l.license_path AS license_url,
  l.permissions AS license_permissions, coalesce(p.charged_currency, p.currency) AS currency, p.quoted_micros, p.fee_micros AS quoted_fee_micros,
  CASE p.intent WHEN 'content' THEN p.quoted_micros END AS token_cap_micros, p.charged_micros, p.charged_fee_micros, p.request_id,
  g.held_purchase_id IS p.id AS is_newest, ${isoInstant("coalesce(iif(g.held_purchase_id = p.id, g.held_at, NULL), max(p.ended_at, coalesce(p.asked_at, p.ended_at)))")} AS bought_at,
  ${isoInstant("p.valid_until_at")} AS valid_until_at, p.retention_ms, ${isoInstant("c.purged_at")} AS purged_at, c.purge_reason,
  a.actor AS purged_by, a.reason AS purged_for
FROM content c JOIN purchase p ON p.id = c.purchase_id JOIN page g ON g.id = p.page_id JOIN site s ON s.id = p.site_id JOIN run r ON r.id = p.run_id
  LEFT JOIN rule u ON u.id = p.rule_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN purged_content x ON x.purchase_id = p.id
  LEFT JOIN act a ON a.id = x.act_id`);

/** A use in a plain report stands as that does (usage/plain-reports.ts). */
const stateOfUse =
  sql.raw(`coalesce((SELECT iif(u.id <= b.first_use_id + b.last_entry_id - b.first_entry_id, iif(b.state = 'settled', 'settled', 'batched'), NULL)
    FROM usage_batch b WHERE b.first_use_id <= u.id ORDER BY b.first_use_id DESC LIMIT 1), u.state)`);

export const v1Uses = sqliteView("v1_uses", {}).as(sql`
SELECT u.id AS use_id, u."key", r.name AS run_id, s.host, g.url, u.purchase_id, u.kind, u.times, l.license_type, l.cuid AS license_cuid,
  ${stateOfUse} AS state, u.billed AS is_billed, u.unit_micros, u.currency, u.charged_micros, u.charged_currency,
  ${isoInstant("u.used_at")} AS used_at, ${isoInstant("u.recorded_at")} AS recorded_at
FROM "use" u JOIN site s ON s.id = u.site_id JOIN page g ON g.id = u.page_id JOIN license l ON l.id = u.license_id
  LEFT JOIN run r ON r.id = u.run_id`);

export const v1Denials = sqliteView("v1_denials", {}).as(sql`
SELECT r.name AS run_id, s.host, g.url, d.reason, d.detail, d.policy_name AS policy, d.rule_index, ${isoInstant("d.at")} AS denied_at
FROM denial d JOIN run r ON r.id = d.run_id JOIN page g ON g.id = d.page_id JOIN site s ON s.id = g.site_id
WHERE r.kind <> 'planning'`);

export const v1OpenItems = sqliteView("v1_open_items", {}).as(sql`
SELECT o.id AS item_id, o.kind, o.detail, o.url, o.purchase_id, o.batch_id AS report_id, o.count AS cases,
  ${isoInstant("o.at")} AS opened_at, ${isoInstant("o.closed_at")} AS closed_at
FROM open_item o`);

/** What budgets count, for every scope and period: `settled_micros` without fees, as everywhere outside of the ledger. */
export const v1Balances = sqliteView("v1_balances", {}).as(sql`
SELECT b.scope, b.period, b.currency, b.settled_micros - b.fee_micros AS settled_micros, b.fee_micros, b.in_doubt_micros, b.reserved_micros,
  b.bought_pages, b.failed_pages
FROM balance b`);

export const v1SpendByDay = sqliteView("v1_spend_by_day", {}).as(sql`
SELECT substr(b.period, 5) AS day, substr(b.scope, 6) AS host, b.currency, b.settled_micros - b.fee_micros AS settled_micros, b.fee_micros,
  b.in_doubt_micros, b.reserved_micros, b.bought_pages, b.failed_pages
FROM balance b WHERE b.scope LIKE 'site:%' AND b.period LIKE 'day:%'`);
