-- Written by drizzle-kit, then by hand: STRICT and WITHOUT ROWID, the view of a rebuilt table, and triggers and rows of `settled_document` and `booking`.
DROP VIEW `v1_denials`;--> statement-breakpoint
CREATE TABLE `booking` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`purchase_id` integer,
	`usage_batch_id` integer,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`usage_batch_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "booking_kind" CHECK("booking"."kind" in ('charged', 'doubt_opened', 'doubt_charged', 'doubt_not_charged', 'charged_late', 'report_taken')),
	CONSTRAINT "booking_subject" CHECK(("booking"."usage_batch_id" is not null) = ("booking"."kind" = 'report_taken') and ("booking"."purchase_id" is null) = ("booking"."kind" = 'report_taken'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `booking_by_time` ON `booking` (`at`);--> statement-breakpoint
CREATE UNIQUE INDEX `booking_of_doubt` ON `booking` (`purchase_id`,`kind`) WHERE kind in ('doubt_opened', 'doubt_charged', 'doubt_not_charged');--> statement-breakpoint
CREATE TABLE `candidate` (
	`run_id` integer NOT NULL,
	`page_id` integer NOT NULL,
	`site_id` integer NOT NULL,
	`listing_id` integer,
	`currency` text,
	`rank` real NOT NULL,
	`cost_micros` integer NOT NULL,
	`age` integer NOT NULL,
	`url` text NOT NULL,
	`value` real,
	PRIMARY KEY(`run_id`, `page_id`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listing_id`) REFERENCES `listing`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "candidate_cost" CHECK("candidate"."cost_micros" >= 0),
	CONSTRAINT "candidate_currency" CHECK("candidate"."currency" is not null or "candidate"."cost_micros" = 0),
	CONSTRAINT "candidate_value" CHECK("candidate"."value" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `candidate_in_order` ON `candidate` (`run_id`,`currency`,`rank`,`cost_micros`,`age`,`url`);--> statement-breakpoint
CREATE TABLE `document_cursor` (
	`name` text PRIMARY KEY NOT NULL,
	`selection` text NOT NULL,
	`seq` integer NOT NULL,
	`pending_seq` integer,
	`pending_target` text,
	`process` text,
	`alive_until` integer,
	`at` integer NOT NULL,
	CONSTRAINT "document_cursor_seq" CHECK("document_cursor"."seq" >= 0),
	CONSTRAINT "document_cursor_pending" CHECK("document_cursor"."pending_seq" > "document_cursor"."seq"),
	CONSTRAINT "document_cursor_target" CHECK(("document_cursor"."pending_seq" is null) = ("document_cursor"."pending_target" is null)),
	CONSTRAINT "document_cursor_process" CHECK(("document_cursor"."process" is null) = ("document_cursor"."alive_until" is null))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `file_cleaning` (
	`id` integer PRIMARY KEY NOT NULL,
	`due_since` integer NOT NULL,
	CONSTRAINT "file_cleaning_single" CHECK("file_cleaning"."id" = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `listed_page` (
	`run_id` integer NOT NULL,
	`page_id` integer NOT NULL,
	`line` integer NOT NULL,
	`met_as` text NOT NULL,
	`max_price_micros` integer,
	`max_price_currency` text,
	`value` real,
	`key` text,
	`license_type` text,
	`license_cuid` text,
	PRIMARY KEY(`run_id`, `page_id`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "listed_page_met_as" CHECK("listed_page"."met_as" in ('waiting', 'unchanged', 'excluded')),
	CONSTRAINT "listed_page_max_price" CHECK("listed_page"."max_price_micros" >= 0),
	CONSTRAINT "listed_page_max_price_currency" CHECK(("listed_page"."max_price_micros" is null) = ("listed_page"."max_price_currency" is null)),
	CONSTRAINT "listed_page_value" CHECK("listed_page"."value" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `listed_page_key` ON `listed_page` (`page_id`,`run_id`) WHERE key is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `listed_page_line` ON `listed_page` (`run_id`,`line`);--> statement-breakpoint
CREATE TABLE `rejected_line` (
	`run_id` integer NOT NULL,
	`line` integer NOT NULL,
	`reason` text NOT NULL,
	`raw` text NOT NULL,
	PRIMARY KEY(`run_id`, `line`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `rejected_line_total` (
	`run_id` integer NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`run_id`, `reason`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rejected_line_total_count" CHECK("rejected_line_total"."count" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `run_list` (
	`run_id` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`path` text,
	`planned_at` integer,
	`lines_read` integer DEFAULT 0 NOT NULL,
	`digest` blob,
	`is_read` integer DEFAULT 0 NOT NULL,
	`repeated` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "run_list_source" CHECK("run_list"."source" in ('list', 'plan', 'fetch')),
	CONSTRAINT "run_list_lines" CHECK("run_list"."lines_read" >= 0),
	CONSTRAINT "run_list_is_read" CHECK("run_list"."is_read" in (0, 1)),
	CONSTRAINT "run_list_repeated" CHECK("run_list"."repeated" >= 0)
) STRICT;
--> statement-breakpoint
CREATE TABLE `settled_document` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`purchase_id` integer NOT NULL,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `settled_document_purchase_id_unique` ON `settled_document` (`purchase_id`);--> statement-breakpoint
CREATE TABLE `__new_denial` (
	`run_id` integer NOT NULL,
	`page_id` integer NOT NULL,
	`rule_index` integer,
	`policy_name` text NOT NULL,
	`reason` text NOT NULL,
	`detail` text,
	`listing_id` integer,
	`at` integer NOT NULL,
	PRIMARY KEY(`page_id`, `run_id`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listing_id`) REFERENCES `listing`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "denial_reason" CHECK("__new_denial"."reason" in ('no_rule_matched', 'denied_by_rule', 'not_licensable', 'no_usable_rate', 'no_budget_in_currency', 'not_quoted', 'quote_refused', 'budget_exhausted', 'max_pages', 'max_spend', 'in_doubt', 'already_open', 'already_held', 'site_stopped', 'kept_off', 'max_price', 'not_planned'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_denial`("run_id", "page_id", "rule_index", "policy_name", "reason", "detail", "listing_id", "at") SELECT "run_id", "page_id", "rule_index", "policy_name", "reason", "detail", "listing_id", "at" FROM `denial`;--> statement-breakpoint
DROP TABLE `denial`;--> statement-breakpoint
ALTER TABLE `__new_denial` RENAME TO `denial`;--> statement-breakpoint
CREATE INDEX `denial_by_run` ON `denial` (`run_id`,`page_id`);--> statement-breakpoint
CREATE INDEX `denial_not_licensable` ON `denial` (`page_id`,`run_id`) WHERE reason = 'not_licensable';--> statement-breakpoint
CREATE TABLE `__new_frontier` (
	`run_id` integer NOT NULL,
	`page_id` integer NOT NULL,
	`state` text NOT NULL,
	`batch_id` integer,
	PRIMARY KEY(`run_id`, `page_id`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "frontier_state" CHECK("__new_frontier"."state" in ('waiting', 'quoted', 'decided', 'unchanged', 'excluded')),
	CONSTRAINT "frontier_batch" CHECK("__new_frontier"."batch_id" is null or "__new_frontier"."state" = 'waiting')
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_frontier`("run_id", "page_id", "state", "batch_id") SELECT "run_id", "page_id", "state", "batch_id" FROM `frontier`;--> statement-breakpoint
DROP TABLE `frontier`;--> statement-breakpoint
ALTER TABLE `__new_frontier` RENAME TO `frontier`;--> statement-breakpoint
CREATE INDEX `frontier_waiting` ON `frontier` (`batch_id`) WHERE batch_id is not null;--> statement-breakpoint
ALTER TABLE `content` ADD `purged_at` integer;--> statement-breakpoint
ALTER TABLE `content` ADD `purge_reason` text;--> statement-breakpoint
CREATE INDEX `content_purged` ON `content` (`purchase_id`) WHERE purged_at is not null;--> statement-breakpoint
ALTER TABLE `page` ADD `gone_at` integer;--> statement-breakpoint
CREATE INDEX `page_stored` ON `page` (`site_id`,`held_at`) WHERE held_at is not null;--> statement-breakpoint
CREATE INDEX `page_gone` ON `page` (`site_id`) WHERE gone_at is not null;--> statement-breakpoint
ALTER TABLE `purchase` ADD `valid_until_at` integer;--> statement-breakpoint
ALTER TABLE `purchase` ADD `retention_ms` integer;--> statement-breakpoint
CREATE INDEX `purchase_valid_until` ON `purchase` (`site_id`,`valid_until_at`) WHERE valid_until_at is not null;--> statement-breakpoint
CREATE INDEX `purchase_retention` ON `purchase` (`policy_name`,`retention_ms`) WHERE retention_ms is not null;--> statement-breakpoint
DROP VIEW `v1_documents`;--> statement-breakpoint
CREATE VIEW `v1_documents` AS 
SELECT g.url, s.host, p.id AS purchase_id, r.name AS run_id, p.intent, l.license_type, l.cuid AS license_cuid, l.permissions AS license_permissions,
  CASE p.intent WHEN 'content' THEN p.charged_micros END AS price_micros, coalesce(p.charged_currency, p.currency) AS currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.held_at / 1000.0, 'unixepoch') AS stored_at, c.content_hash, c.title, c.author, c.published, c.modified,
  coalesce(c.markdown, d.markdown) AS markdown, c.html
FROM page g JOIN site s ON s.id = g.site_id JOIN purchase p ON p.id = g.held_purchase_id JOIN content c ON c.purchase_id = p.id
  JOIN run r ON r.id = p.run_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN derived_markdown d ON d.purchase_id = p.id
WHERE NOT EXISTS (SELECT 1 FROM content x WHERE x.purchase_id = c.purchase_id AND x.purged_at IS NOT NULL);--> statement-breakpoint
CREATE VIEW `v1_denials` AS 
SELECT r.name AS run_id, s.host, g.url, d.reason, d.detail, d.policy_name AS policy, d.rule_index, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000.0, 'unixepoch') AS denied_at
FROM denial d JOIN run r ON r.id = d.run_id JOIN page g ON g.id = d.page_id JOIN site s ON s.id = g.site_id
WHERE r.kind = 'run';--> statement-breakpoint
CREATE TRIGGER `document_is_settled` AFTER INSERT ON `content` BEGIN INSERT INTO `settled_document` (`purchase_id`) VALUES (NEW.`purchase_id`); END;--> statement-breakpoint
INSERT INTO `settled_document` (`purchase_id`) SELECT c.`purchase_id` FROM `content` c JOIN `purchase` p ON p.`id` = c.`purchase_id` JOIN `page` g ON g.`id` = c.`page_id`
ORDER BY CASE g.`held_purchase_id` WHEN p.`id` THEN g.`held_at` ELSE p.`ended_at` END, p.`id`;--> statement-breakpoint
CREATE TRIGGER `purchase_is_booked` AFTER UPDATE OF `state` ON `purchase` WHEN OLD.`state` <> NEW.`state` AND (NEW.`state` = 'settled' OR 'in_doubt' IN (OLD.`state`, NEW.`state`) AND NEW.`quoted_micros` + NEW.`fee_micros` + NEW.`use_reserve_micros` > 0) BEGIN INSERT INTO `booking` (`at`, `kind`, `purchase_id`) VALUES (iif(coalesce((SELECT `at` FROM `booking` ORDER BY `seq` DESC LIMIT 1), 0) - NEW.`ended_at` BETWEEN 1 AND 2678400000, coalesce((SELECT `at` FROM `booking` ORDER BY `seq` DESC LIMIT 1), 0), NEW.`ended_at`), CASE NEW.`state` WHEN 'in_doubt' THEN 'doubt_opened' WHEN 'released' THEN 'doubt_not_charged' ELSE CASE OLD.`state` WHEN 'in_doubt' THEN 'doubt_charged' WHEN 'released' THEN 'charged_late' ELSE 'charged' END END, NEW.`id`); END;--> statement-breakpoint
CREATE TRIGGER `report_is_booked` AFTER UPDATE OF `state` ON `usage_batch` WHEN OLD.`state` <> NEW.`state` AND NEW.`state` = 'settled' BEGIN INSERT INTO `booking` (`at`, `kind`, `usage_batch_id`) VALUES (iif(coalesce((SELECT `at` FROM `booking` ORDER BY `seq` DESC LIMIT 1), 0) - NEW.`closed_at` BETWEEN 1 AND 2678400000, coalesce((SELECT `at` FROM `booking` ORDER BY `seq` DESC LIMIT 1), 0), NEW.`closed_at`), 'report_taken', NEW.`id`); END;--> statement-breakpoint
CREATE TRIGGER `booking_is_a_fact` BEFORE UPDATE ON `booking` BEGIN SELECT RAISE(ABORT, 'a booking is never changed'); END;--> statement-breakpoint
CREATE TRIGGER `booking_stays` BEFORE DELETE ON `booking` BEGIN SELECT RAISE(ABORT, 'a booking is never deleted'); END;--> statement-breakpoint
INSERT INTO `booking` (`at`, `kind`, `purchase_id`, `usage_batch_id`)
WITH `old` AS (SELECT p.*, p.`quoted_micros` + p.`fee_micros` + p.`use_reserve_micros` > 0 AS `costs`, p.`reason` IN ('token_spent', 'token_expired', 'unanswered') AS `was_in_doubt` FROM `purchase` p)
SELECT `at`, `kind`, `purchase`, `batch` FROM (
SELECT `ended_at` AS `at`, 'charged' AS `kind`, `id` AS `purchase`, NULL AS `batch`, 1 AS `step` FROM `old` WHERE `state` = 'settled' AND `id` NOT IN (SELECT `purchase_id` FROM `resolution` WHERE `purchase_id` IS NOT NULL AND `outcome` = 'charged')
UNION ALL SELECT iif(`state` = 'in_doubt', `ended_at`, coalesce(`started_at`, `reserved_at`)), 'doubt_opened', `id`, NULL, 0 FROM `old` WHERE `costs` AND (`was_in_doubt` OR `reason` = 'resolved_not_charged')
UNION ALL SELECT r.`at`, iif(r.`outcome` = 'not_charged', 'doubt_not_charged', iif(o.`costs` AND o.`was_in_doubt`, 'doubt_charged', 'charged_late')), o.`id`, NULL, iif(r.`outcome` = 'not_charged', 1, 2) FROM `resolution` r JOIN `old` o ON o.`id` = r.`purchase_id` WHERE r.`outcome` = 'charged' OR o.`costs`
UNION ALL SELECT `closed_at`, 'report_taken', NULL, `id`, 3 FROM `usage_batch` WHERE `state` = 'settled'
) ORDER BY `at`, `step`, `purchase`, `batch`;--> statement-breakpoint
UPDATE `purchase` SET `valid_until_at` = (SELECT min(json_extract(o.value, '$.validUntilAt'))
  FROM `listing` l, json_each(l.`json`, '$.rates') o JOIN `license` i ON i.`id` = `purchase`.`license_id`
  WHERE l.`id` = `purchase`.`listing_id` AND json_extract(o.value, '$.license.licenseType') = i.`license_type` AND json_extract(o.value, '$.license.cuid') IS i.`cuid`
    AND json_extract(o.value, '$.price.micros') = `purchase`.`quoted_micros` AND json_extract(o.value, '$.price.currency') = `purchase`.`currency`
    AND coalesce(json_extract(o.value, '$.error'), '') = '')
WHERE `listing_id` IN (SELECT `id` FROM `listing` WHERE `json` GLOB '*"validUntilAt":[0-9-]*' AND json_valid(`json`));
