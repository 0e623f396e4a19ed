CREATE VIEW `v1_balances` AS 
SELECT b.scope, b.period, b.currency, b.settled_micros - b.fee_micros AS settled_micros, b.fee_micros, b.in_doubt_micros, b.reserved_micros
FROM balance b;--> statement-breakpoint
CREATE VIEW `v1_denials` AS 
SELECT r.name AS run_id, s.host, g.url, d.reason, d.detail, d.policy_name AS policy, d.rule_index, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000.0, 'unixepoch') AS denied_at
FROM denial d JOIN run r ON r.id = d.run_id JOIN page g ON g.id = d.page_id JOIN site s ON s.id = g.site_id
WHERE r.kind = 'run';--> statement-breakpoint
CREATE VIEW `v1_documents` AS 
SELECT g.url, s.host, p.id AS purchase_id, r.name AS run_id, p.intent, l.license_type, l.cuid AS license_cuid, l.permissions AS license_permissions,
  CASE p.intent WHEN 'content' THEN p.charged_micros END AS price_micros, coalesce(p.charged_currency, p.currency) AS currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.held_at / 1000.0, 'unixepoch') AS stored_at, c.content_hash, c.title, c.author, c.published, c.modified,
  coalesce(c.markdown, d.markdown) AS markdown, c.html
FROM page g JOIN site s ON s.id = g.site_id JOIN purchase p ON p.id = g.held_purchase_id JOIN content c ON c.purchase_id = p.id
  JOIN run r ON r.id = p.run_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN derived_markdown d ON d.purchase_id = p.id;--> statement-breakpoint
CREATE VIEW `v1_open_items` AS 
SELECT o.id AS item_id, o.kind, o.detail, o.url, o.purchase_id, o.batch_id AS report_id, o.count AS cases,
  strftime('%Y-%m-%dT%H:%M:%fZ', o.at / 1000.0, 'unixepoch') AS opened_at, strftime('%Y-%m-%dT%H:%M:%fZ', o.closed_at / 1000.0, 'unixepoch') AS closed_at
FROM open_item o;--> statement-breakpoint
CREATE VIEW `v1_purchases` AS 
SELECT p.id AS purchase_id, r.name AS run_id, s.host, g.url, p.url AS bought_url, p.state, p.reason, p.detail, p.intent,
  p.policy_name AS policy, u.text AS rule, l.license_type, l.cuid AS license_cuid,
  p.currency, p.quoted_micros, p.fee_micros AS quoted_fee_micros,
  p.charged_currency, p.charged_micros, p.charged_fee_micros,
  CASE WHEN p.state IN ('reserved', 'started', 'in_doubt') THEN p.quoted_micros + p.fee_micros + p.use_reserve_micros ELSE 0 END AS set_aside_micros,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.reserved_at / 1000.0, 'unixepoch') AS reserved_at, strftime('%Y-%m-%dT%H:%M:%fZ', p.ended_at / 1000.0, 'unixepoch') AS ended_at
FROM purchase p JOIN run r ON r.id = p.run_id JOIN site s ON s.id = p.site_id JOIN page g ON g.id = p.page_id
  LEFT JOIN rule u ON u.id = p.rule_id LEFT JOIN license l ON l.id = p.license_id;--> statement-breakpoint
CREATE VIEW `v1_runs` AS 
SELECT r.name AS run_id, r.state, r.reason, r.started_by AS "trigger",
  strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', r.ended_at / 1000.0, 'unixepoch') AS ended_at,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'seen'), 0) AS pages_seen,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'settled'), 0) AS pages_bought,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'in_doubt'), 0) AS pages_in_doubt
FROM run r LEFT JOIN tally t ON t.run_id = r.id
WHERE r.kind = 'run' GROUP BY r.id;--> statement-breakpoint
CREATE VIEW `v1_spend_by_day` AS 
SELECT substr(b.period, 5) AS day, substr(b.scope, 6) AS host, b.currency, b.settled_micros - b.fee_micros AS settled_micros, b.fee_micros,
  b.in_doubt_micros, b.reserved_micros
FROM balance b WHERE b.scope LIKE 'site:%' AND b.period LIKE 'day:%';--> statement-breakpoint
CREATE VIEW `v1_uses` AS 
SELECT u.id AS use_id, u."key", r.name AS run_id, s.host, g.url, u.purchase_id, u.kind, u.times, l.license_type, l.cuid AS license_cuid,
  u.state, u.billed AS is_billed, u.unit_micros, u.currency, u.charged_micros, u.charged_currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.used_at / 1000.0, 'unixepoch') AS used_at, strftime('%Y-%m-%dT%H:%M:%fZ', u.recorded_at / 1000.0, 'unixepoch') AS recorded_at
FROM "use" u JOIN site s ON s.id = u.site_id JOIN page g ON g.id = u.page_id JOIN license l ON l.id = u.license_id
  LEFT JOIN run r ON r.id = u.run_id;