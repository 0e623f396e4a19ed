-- Evidence is found without a row or an index entry of a page that is bought (docs/decisions/0114).
CREATE TABLE `hashed_content` (
	`hash_start` blob NOT NULL,
	`purchase_id` integer NOT NULL,
	PRIMARY KEY(`hash_start`, `purchase_id`)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `hashed_through` (
	`id` integer PRIMARY KEY NOT NULL,
	`document_number` integer NOT NULL,
	CONSTRAINT "hashed_through_single" CHECK("hashed_through"."id" = 1)
) STRICT;
--> statement-breakpoint
CREATE INDEX `use_later` ON `use` (`page_id`,`id`) WHERE kind = 'use';--> statement-breakpoint
CREATE VIEW `v1_evidence` AS 
SELECT g.url, s.host, p.id AS purchase_id, r.name AS run_id, p.url AS bought_url, p.intent, 'sha256:' || c.content_hash AS hash,
  p.policy_name AS policy, p.rule_index + 1 AS rule_number, u.text AS rule, l.license_type, l.cuid AS license_cuid, l.license_path AS license_url,
  l.permissions AS license_permissions, coalesce(p.charged_currency, p.currency) AS currency, p.quoted_micros, p.fee_micros AS quoted_fee_micros,
  CASE p.intent WHEN 'content' THEN p.quoted_micros END AS token_cap_micros, p.charged_micros, p.charged_fee_micros, p.request_id,
  g.held_purchase_id IS p.id AS is_newest, strftime('%Y-%m-%dT%H:%M:%fZ', coalesce(iif(g.held_purchase_id = p.id, g.held_at, NULL), max(p.ended_at, coalesce(p.asked_at, p.ended_at))) / 1000.0, 'unixepoch') AS bought_at,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.valid_until_at / 1000.0, 'unixepoch') AS valid_until_at, p.retention_ms, strftime('%Y-%m-%dT%H:%M:%fZ', c.purged_at / 1000.0, 'unixepoch') AS purged_at, c.purge_reason,
  a.actor AS purged_by, a.reason AS purged_for
FROM content c JOIN purchase p ON p.id = c.purchase_id JOIN page g ON g.id = p.page_id JOIN site s ON s.id = p.site_id JOIN run r ON r.id = p.run_id
  LEFT JOIN rule u ON u.id = p.rule_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN purged_content x ON x.purchase_id = p.id
  LEFT JOIN act a ON a.id = x.act_id;