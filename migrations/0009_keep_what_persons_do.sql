CREATE TABLE `site_pause` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`act_id` integer NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`act_id`) REFERENCES `act`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `configuration` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`text` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `configuration_digest_unique` ON `configuration` (`digest`);--> statement-breakpoint
CREATE TABLE `run_configuration` (
	`run_id` integer NOT NULL,
	`since` integer NOT NULL,
	`configuration_id` integer NOT NULL,
	PRIMARY KEY(`run_id`, `since`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`configuration_id`) REFERENCES `configuration`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
DROP VIEW `v1_evidence`;--> statement-breakpoint
CREATE TABLE `__new_act` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`actor` text,
	`reason` text,
	`purchase_id` integer,
	`usage_batch_id` integer,
	`open_item_id` integer,
	`run_name` text,
	`host` text,
	`alert_key` text,
	`plan_digest` text,
	`request_key` text,
	`count` integer DEFAULT 1 NOT NULL,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`usage_batch_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`open_item_id`) REFERENCES `open_item`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "act_kind" CHECK("__new_act"."kind" in ('purchase_charged', 'purchase_not_charged', 'report_taken', 'report_not_taken', 'item_closed', 'content_purged', 'copy_accepted', 'run_started', 'run_resumed', 'run_stopped', 'run_cancelled', 'plan_approved', 'site_paused', 'site_unpaused', 'alert_acknowledged')),
	CONSTRAINT "act_subject" CHECK(("__new_act"."purchase_id" is not null) = ("__new_act"."kind" in ('purchase_charged', 'purchase_not_charged', 'content_purged')) and ("__new_act"."usage_batch_id" is not null) = ("__new_act"."kind" in ('report_taken', 'report_not_taken')) and ("__new_act"."open_item_id" is not null) = ("__new_act"."kind" = 'item_closed') and ("__new_act"."run_name" is not null) = ("__new_act"."kind" in ('run_started', 'run_resumed', 'run_stopped', 'run_cancelled', 'plan_approved')) and ("__new_act"."host" is not null) = ("__new_act"."kind" in ('site_paused', 'site_unpaused')) and ("__new_act"."alert_key" is not null) = ("__new_act"."kind" = 'alert_acknowledged') and ("__new_act"."plan_digest" is not null) = ("__new_act"."kind" = 'plan_approved')),
	CONSTRAINT "act_count" CHECK("__new_act"."count" >= 1),
	CONSTRAINT "act_actor" CHECK("__new_act"."actor" <> '')
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_act`("id", "kind", "at", "actor", "reason", "purchase_id", "usage_batch_id", "open_item_id", "run_name", "count") SELECT "id", "kind", "at", "actor", "reason", "purchase_id", "usage_batch_id", "open_item_id", "run_name", "count" FROM `act`;--> statement-breakpoint
-- The rows that name a row of a table by its key go before the table is dropped, and come back.
CREATE TEMP TABLE `__purged_content` AS SELECT * FROM `purged_content`;--> statement-breakpoint
DELETE FROM `purged_content`;--> statement-breakpoint
DROP TABLE `act`;--> statement-breakpoint
ALTER TABLE `__new_act` RENAME TO `act`;--> statement-breakpoint
INSERT INTO `purged_content` SELECT * FROM temp.`__purged_content`;--> statement-breakpoint
DROP TABLE temp.`__purged_content`;--> statement-breakpoint
CREATE INDEX `act_by_purchase` ON `act` (`purchase_id`) WHERE purchase_id is not null;--> statement-breakpoint
CREATE INDEX `act_by_item` ON `act` (`open_item_id`) WHERE open_item_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `act_by_request` ON `act` (`request_key`) WHERE request_key is not null;--> statement-breakpoint
CREATE INDEX `act_by_run` ON `act` (`run_name`) WHERE run_name is not null;--> statement-breakpoint
CREATE TABLE `__new_run_site` (
	`run_id` integer NOT NULL,
	`site_id` integer NOT NULL,
	`position` integer NOT NULL,
	`max_pages` integer,
	`full_walk_every_ms` integer,
	`overlap_ms` integer NOT NULL,
	`approved` integer DEFAULT 0 NOT NULL,
	`walk_page_token` text,
	`walk_pages_read` integer DEFAULT 0 NOT NULL,
	`walk_stop_below_at` integer,
	`walk_ordered` integer DEFAULT 1 NOT NULL,
	`walk_last_at` integer,
	`walk_newest_at` integer,
	`walk_ended` text,
	`walk_warning` text,
	`filling_batch_id` integer,
	`waiting_pages` integer DEFAULT 0 NOT NULL,
	`quote_batch_size` integer DEFAULT 50 NOT NULL,
	`stop` text,
	`stop_detail` text,
	`exhausted` text DEFAULT '{}' NOT NULL,
	PRIMARY KEY(`run_id`, `site_id`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "run_site_stop" CHECK("__new_run_site"."stop" in ('budget_exhausted', 'max_pages', 'max_spend', 'max_duration', 'not_enabled', 'overcharged', 'charge_unreadable', 'license_mismatch', 'paused', 'unauthorized', 'redirected', 'empty_content', 'not_configured', 'walk_failed', 'failed')),
	CONSTRAINT "run_site_walk_ended" CHECK("__new_run_site"."walk_ended" in ('complete', 'cut')),
	CONSTRAINT "run_site_walk_ordered" CHECK("__new_run_site"."walk_ordered" in (0, 1)),
	CONSTRAINT "run_site_token_while_walking" CHECK("__new_run_site"."walk_ended" is null or "__new_run_site"."walk_page_token" is null),
	CONSTRAINT "run_site_waiting" CHECK("__new_run_site"."waiting_pages" >= 0),
	CONSTRAINT "run_site_approved" CHECK("__new_run_site"."approved" >= 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_run_site`("run_id", "site_id", "position", "max_pages", "full_walk_every_ms", "overlap_ms", "approved", "walk_page_token", "walk_pages_read", "walk_stop_below_at", "walk_ordered", "walk_last_at", "walk_newest_at", "walk_ended", "walk_warning", "filling_batch_id", "waiting_pages", "quote_batch_size", "stop", "stop_detail", "exhausted") SELECT "run_id", "site_id", "position", "max_pages", "full_walk_every_ms", "overlap_ms", "approved", "walk_page_token", "walk_pages_read", "walk_stop_below_at", "walk_ordered", "walk_last_at", "walk_newest_at", "walk_ended", "walk_warning", "filling_batch_id", "waiting_pages", "quote_batch_size", "stop", "stop_detail", "exhausted" FROM `run_site`;--> statement-breakpoint
CREATE TEMP TABLE `__tally` AS SELECT * FROM `tally`;--> statement-breakpoint
DELETE FROM `tally`;--> statement-breakpoint
CREATE TEMP TABLE `__rejected_entry` AS SELECT * FROM `rejected_entry`;--> statement-breakpoint
DELETE FROM `rejected_entry`;--> statement-breakpoint
CREATE TEMP TABLE `__batch` AS SELECT * FROM `batch`;--> statement-breakpoint
DELETE FROM `batch`;--> statement-breakpoint
CREATE TEMP TABLE `__walk_token` AS SELECT * FROM `walk_token`;--> statement-breakpoint
DELETE FROM `walk_token`;--> statement-breakpoint
DROP TABLE `run_site`;--> statement-breakpoint
ALTER TABLE `__new_run_site` RENAME TO `run_site`;--> statement-breakpoint
INSERT INTO `tally` SELECT * FROM temp.`__tally`;--> statement-breakpoint
DROP TABLE temp.`__tally`;--> statement-breakpoint
INSERT INTO `rejected_entry` SELECT * FROM temp.`__rejected_entry`;--> statement-breakpoint
DROP TABLE temp.`__rejected_entry`;--> statement-breakpoint
INSERT INTO `batch` SELECT * FROM temp.`__batch`;--> statement-breakpoint
DROP TABLE temp.`__batch`;--> statement-breakpoint
INSERT INTO `walk_token` SELECT * FROM temp.`__walk_token`;--> statement-breakpoint
DROP TABLE temp.`__walk_token`;--> statement-breakpoint
ALTER TABLE `alert` ADD `acknowledged_by` integer REFERENCES act(id);--> statement-breakpoint
ALTER TABLE `balance` ADD `allowed_micros` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `balance` ADD `reported_micros` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- What was allowed and reported before counts too: in the periods of its decision, or of its use, like its money.
INSERT INTO `balance`("scope", "period", "currency", "reserved_micros", "in_doubt_micros", "settled_micros", "fee_micros", "allowed_micros", "reported_micros")
WITH moved AS (
  SELECT run_id, site_id, reserved_at / 86400000 AS day, currency, quoted_micros + fee_micros + use_reserve_micros AS allowed, 0 AS reported
  FROM purchase
  WHERE currency IS NOT NULL
    AND NOT (state = 'released' AND reason IN ('token_unused', 'run_ended', 'site_stopped', 'decided_anew', 'taken_over'))
  UNION ALL
  SELECT run_id, site_id, budget_at / 86400000, charged_currency, 0, charged_micros
  FROM use WHERE billed = 1 AND state = 'settled' AND charged_currency IS NOT NULL
), daily AS (
  SELECT run_id, site_id, day, currency, sum(allowed) AS allowed, sum(reported) AS reported FROM moved GROUP BY 1, 2, 3, 4
), named AS (
  SELECT 'site:' || s.host AS site_scope, 'run:' || r.name AS run_scope, daily.*,
         'day:' || strftime('%F', day * 86400, 'unixepoch') AS day_period,
         'week:' || strftime('%G-W%V', day * 86400, 'unixepoch') AS week_period,
         'month:' || strftime('%Y-%m', day * 86400, 'unixepoch') AS month_period
  FROM daily JOIN site s ON s.id = daily.site_id LEFT JOIN run r ON r.id = daily.run_id
), spread AS (
  SELECT 'all' AS scope, day_period AS period, * FROM named
  UNION ALL SELECT 'all', week_period, * FROM named
  UNION ALL SELECT 'all', month_period, * FROM named
  UNION ALL SELECT 'all', 'total', * FROM named
  UNION ALL SELECT site_scope, day_period, * FROM named
  UNION ALL SELECT site_scope, week_period, * FROM named
  UNION ALL SELECT site_scope, month_period, * FROM named
  UNION ALL SELECT site_scope, 'total', * FROM named
  UNION ALL SELECT run_scope, 'total', * FROM named WHERE run_scope IS NOT NULL
)
SELECT scope, period, currency, 0, 0, 0, 0, sum(allowed), sum(reported) FROM spread WHERE true GROUP BY scope, period, currency
ON CONFLICT (scope, period, currency) DO UPDATE SET allowed_micros = excluded.allowed_micros, reported_micros = excluded.reported_micros;--> statement-breakpoint
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
  LEFT JOIN act a ON a.id = x.act_id;--> statement-breakpoint
CREATE TRIGGER act_is_a_fact BEFORE UPDATE OF id, kind, at, actor, reason, purchase_id, usage_batch_id, open_item_id, run_name, host, alert_key, plan_digest, request_key ON act
BEGIN
  SELECT RAISE(ABORT, 'an act is never changed');
END;
--> statement-breakpoint
CREATE TRIGGER act_stays BEFORE DELETE ON act
BEGIN
  SELECT RAISE(ABORT, 'an act is never deleted');
END;
