-- Written by drizzle-kit, then by hand: STRICT, the views of the rebuilt table, and the values of `kind` and `ended_by`.
DROP VIEW `v1_denials`;--> statement-breakpoint
DROP VIEW `v1_documents`;--> statement-breakpoint
DROP VIEW `v1_purchases`;--> statement-breakpoint
DROP VIEW `v1_runs`;--> statement-breakpoint
DROP VIEW `v1_uses`;--> statement-breakpoint
CREATE TABLE `__new_run` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`started_by` text DEFAULT 'manual' NOT NULL,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`ended_by` text DEFAULT 'nobody' NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`max_pages` integer,
	`max_spend_micros` integer,
	`max_spend_currency` text,
	`deadline_at` integer,
	`run_order` text DEFAULT 'catalog' NOT NULL,
	`worked_ms` integer DEFAULT 0 NOT NULL,
	`resumed_at` integer,
	`process` text,
	`alive_until` integer,
	`taken_over_by` integer,
	`approved` integer DEFAULT 0 NOT NULL,
	`last_site_id` integer DEFAULT 0 NOT NULL,
	`purchases_after` integer NOT NULL,
	`purchases_until` integer,
	`died_at` integer,
	`died_process` text,
	`frontier_dropped` integer DEFAULT 0 NOT NULL,
	`key` text,
	`in_service` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`taken_over_by`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "run_kind" CHECK("__new_run"."kind" in ('walk', 'webhook', 'list', 'plan', 'fetch', 'planning')),
	CONSTRAINT "run_ended_by" CHECK("__new_run"."ended_by" in ('nobody', 'itself', 'person', 'service', 'death', 'run')),
	CONSTRAINT "run_order" CHECK("__new_run"."run_order" in ('catalog', 'newest', 'cheapest', 'value')),
	CONSTRAINT "run_state" CHECK("__new_run"."state" in ('running', 'completed', 'budget_exhausted', 'max_pages', 'max_spend', 'max_duration', 'interrupted', 'cancelled', 'failed')),
	CONSTRAINT "run_ended" CHECK(("__new_run"."state" = 'running') = ("__new_run"."ended_at" is null)),
	CONSTRAINT "run_max_pages" CHECK("__new_run"."max_pages" >= 0),
	CONSTRAINT "run_max_spend" CHECK("__new_run"."max_spend_micros" >= 0),
	CONSTRAINT "run_max_spend_currency" CHECK(("__new_run"."max_spend_micros" is null) = ("__new_run"."max_spend_currency" is null)),
	CONSTRAINT "run_approved" CHECK("__new_run"."approved" >= 0),
	CONSTRAINT "run_trigger" CHECK("__new_run"."started_by" in ('manual', 'schedule', 'webhook', 'list')),
	CONSTRAINT "run_worked" CHECK("__new_run"."worked_ms" >= 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_run`(`id`, `name`, `started_by`, `kind`, `state`, `reason`, `ended_by`, `started_at`, `ended_at`, `max_pages`, `max_spend_micros`, `max_spend_currency`, `deadline_at`, `worked_ms`, `resumed_at`, `process`, `alive_until`, `taken_over_by`, `approved`, `last_site_id`, `purchases_after`, `purchases_until`, `died_at`, `died_process`, `frontier_dropped`, `key`, `in_service`) SELECT `id`, `name`, `started_by`, CASE WHEN `kind` = 'plan' THEN 'planning' WHEN `key` IS NOT NULL THEN 'webhook' ELSE coalesce((SELECT l.`source` FROM `run_list` l WHERE l.`run_id` = `run`.`id`), 'walk') END, `state`, `reason`, CASE WHEN `taken_over_by` IS NOT NULL THEN 'run' WHEN `state` = 'running' THEN 'nobody' WHEN `state` = 'cancelled' THEN 'person' WHEN `state` = 'interrupted' THEN iif(`in_service` = 1, 'service', 'person') ELSE 'itself' END, `started_at`, `ended_at`, `max_pages`, `max_spend_micros`, `max_spend_currency`, `deadline_at`, `worked_ms`, `resumed_at`, `process`, `alive_until`, `taken_over_by`, `approved`, `last_site_id`, `purchases_after`, `purchases_until`, `died_at`, `died_process`, `frontier_dropped`, `key`, `in_service` FROM `run`;--> statement-breakpoint
-- Ids of runs are never used again.
DELETE FROM sqlite_sequence WHERE name = '__new_run';--> statement-breakpoint
INSERT INTO sqlite_sequence (name, seq) SELECT '__new_run', seq FROM sqlite_sequence WHERE name = 'run';--> statement-breakpoint
DROP TABLE `run`;--> statement-breakpoint
ALTER TABLE `__new_run` RENAME TO `run`;--> statement-breakpoint
CREATE UNIQUE INDEX `run_name_unique` ON `run` (`name`);--> statement-breakpoint
CREATE UNIQUE INDEX `run_key` ON `run` (`key`);--> statement-breakpoint
CREATE INDEX `run_unfinished` ON `run` (`id`) WHERE kind <> 'planning' and state in ('running', 'interrupted', 'failed');--> statement-breakpoint
CREATE INDEX `run_plannings` ON `run` (`id`) WHERE kind = 'planning';--> statement-breakpoint
CREATE INDEX `run_successor` ON `run` (`taken_over_by`) WHERE taken_over_by is not null;--> statement-breakpoint
CREATE INDEX `run_dropping` ON `run` (`id`) WHERE frontier_dropped = 0 and state <> 'running';--> statement-breakpoint
ALTER TABLE `run_list` ADD `goes_on_from` integer REFERENCES run(id);--> statement-breakpoint
CREATE VIEW `v1_denials` AS 
SELECT r.name AS run_id, s.host, g.url, d.reason, d.detail, d.policy_name AS policy, d.rule_index, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000.0, 'unixepoch') AS denied_at
FROM denial d JOIN run r ON r.id = d.run_id JOIN page g ON g.id = d.page_id JOIN site s ON s.id = g.site_id
WHERE r.kind <> 'planning';--> statement-breakpoint
CREATE VIEW `v1_runs` AS 
SELECT r.name AS run_id, r.state, r.reason, r.started_by AS "trigger",
  strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', r.ended_at / 1000.0, 'unixepoch') AS ended_at,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'seen'), 0) AS pages_seen,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'settled'), 0) AS pages_bought,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'in_doubt'), 0) AS pages_in_doubt
FROM run r LEFT JOIN tally t ON t.run_id = r.id
WHERE r.kind <> 'planning' GROUP BY r.id;--> statement-breakpoint
CREATE VIEW `v1_documents` AS 
SELECT g.url, s.host, p.id AS purchase_id, r.name AS run_id, p.intent, l.license_type, l.cuid AS license_cuid, l.permissions AS license_permissions,
  CASE p.intent WHEN 'content' THEN p.charged_micros END AS price_micros, coalesce(p.charged_currency, p.currency) AS currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.held_at / 1000.0, 'unixepoch') AS stored_at, c.content_hash, c.title, c.author, c.published, c.modified,
  coalesce(c.markdown, d.markdown) AS markdown, c.html
FROM page g JOIN site s ON s.id = g.site_id JOIN purchase p ON p.id = g.held_purchase_id JOIN content c ON c.purchase_id = p.id
  JOIN run r ON r.id = p.run_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN derived_markdown d ON d.purchase_id = p.id
WHERE NOT EXISTS (SELECT 1 FROM content x WHERE x.purchase_id = c.purchase_id AND x.purged_at IS NOT NULL);--> statement-breakpoint
CREATE VIEW `v1_purchases` AS 
SELECT p.id AS purchase_id, r.name AS run_id, s.host, g.url, p.url AS bought_url, p.state, p.reason, p.detail, p.intent,
  p.policy_name AS policy, u.text AS rule, l.license_type, l.cuid AS license_cuid,
  p.currency, p.quoted_micros, p.fee_micros AS quoted_fee_micros,
  p.charged_currency, p.charged_micros, p.charged_fee_micros,
  CASE WHEN p.state IN ('reserved', 'started', 'in_doubt') THEN p.quoted_micros + p.fee_micros + p.use_reserve_micros ELSE 0 END AS set_aside_micros,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.reserved_at / 1000.0, 'unixepoch') AS reserved_at, strftime('%Y-%m-%dT%H:%M:%fZ', p.ended_at / 1000.0, 'unixepoch') AS ended_at
FROM purchase p JOIN run r ON r.id = p.run_id JOIN site s ON s.id = p.site_id JOIN page g ON g.id = p.page_id
  LEFT JOIN rule u ON u.id = p.rule_id LEFT JOIN license l ON l.id = p.license_id;--> statement-breakpoint
CREATE VIEW `v1_uses` AS 
SELECT u.id AS use_id, u."key", r.name AS run_id, s.host, g.url, u.purchase_id, u.kind, u.times, l.license_type, l.cuid AS license_cuid,
  u.state, u.billed AS is_billed, u.unit_micros, u.currency, u.charged_micros, u.charged_currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.used_at / 1000.0, 'unixepoch') AS used_at, strftime('%Y-%m-%dT%H:%M:%fZ', u.recorded_at / 1000.0, 'unixepoch') AS recorded_at
FROM "use" u JOIN site s ON s.id = u.site_id JOIN page g ON g.id = u.page_id JOIN license l ON l.id = u.license_id
  LEFT JOIN run r ON r.id = u.run_id;
