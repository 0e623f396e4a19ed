-- Written by drizzle-kit, then by hand: STRICT and WITHOUT ROWID, what stands in the new columns, and the triggers of what was rebuilt.
CREATE TABLE `rule` (
  `id` integer PRIMARY KEY NOT NULL,
  `text` text NOT NULL
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `rule_text_unique` ON `rule` (`text`);--> statement-breakpoint
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
  CONSTRAINT "denial_reason" CHECK("__new_denial"."reason" in ('no_rule_matched', 'denied_by_rule', 'not_licensable', 'no_usable_rate', 'no_budget_in_currency', 'not_quoted', 'quote_refused', 'budget_exhausted', 'max_pages', 'max_spend', 'in_doubt', 'already_open', 'already_held', 'site_stopped', 'kept_off'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_denial`("run_id", "page_id", "rule_index", "policy_name", "reason", "detail", "listing_id", "at") SELECT "run_id", "page_id", "rule_index", "policy_name", "reason", "detail", "listing_id", "at" FROM `denial`;--> statement-breakpoint
DROP TABLE `denial`;--> statement-breakpoint
ALTER TABLE `__new_denial` RENAME TO `denial`;--> statement-breakpoint
CREATE TABLE `__new_open_item` (
  `id` integer PRIMARY KEY NOT NULL,
  `kind` text NOT NULL,
  `detail` text NOT NULL,
  `url` text,
  `batch_id` integer,
  `entry_id` integer,
  `purchase_id` integer,
  `site_id` integer,
  `scope` text,
  `period` text,
  `currency` text,
  `count` integer DEFAULT 1 NOT NULL,
  `at` integer NOT NULL,
  `closed_at` integer,
  FOREIGN KEY (`batch_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`entry_id`) REFERENCES `usage_entry`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
  CONSTRAINT "open_item_kind" CHECK("__new_open_item"."kind" in ('missing_receipt', 'surplus_receipt', 'wrong_total', 'wrong_currency', 'rejected_entry', 'needs_reconcile', 'overcharged', 'charge_unreadable', 'license_mismatch', 'charge_differs', 'over_budget_use')),
  CONSTRAINT "open_item_count" CHECK("__new_open_item"."count" >= 1)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_open_item`("id", "kind", "detail", "url", "batch_id", "at", "closed_at") SELECT "id", "kind", "detail", "url", "batch_id", "at", "closed_at" FROM `open_item`;--> statement-breakpoint
DROP TABLE `open_item`;--> statement-breakpoint
ALTER TABLE `__new_open_item` RENAME TO `open_item`;--> statement-breakpoint
CREATE INDEX `open_item_open` ON `open_item` (`id`) WHERE closed_at is null;--> statement-breakpoint
CREATE INDEX `open_item_by_batch` ON `open_item` (`batch_id`,`kind`) WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX `open_item_by_purchase` ON `open_item` (`purchase_id`,`kind`) WHERE purchase_id is not null;--> statement-breakpoint
CREATE INDEX `open_item_by_balance` ON `open_item` (`scope`,`period`,`currency`) WHERE scope is not null;--> statement-breakpoint
CREATE INDEX `open_item_stops_site` ON `open_item` (`site_id`) WHERE site_id is not null and closed_at is null;--> statement-breakpoint
CREATE TABLE `__new_resolution` (
  `id` integer PRIMARY KEY NOT NULL,
  `purchase_id` integer,
  `usage_batch_id` integer,
  `open_item_id` integer,
  `outcome` text NOT NULL,
  `amount_micros` integer NOT NULL,
  `currency` text,
  `source` text NOT NULL,
  `at` integer NOT NULL,
  FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`usage_batch_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`open_item_id`) REFERENCES `open_item`(`id`) ON UPDATE no action ON DELETE no action,
  CONSTRAINT "resolution_outcome" CHECK("__new_resolution"."outcome" in ('charged', 'not_charged', 'taken', 'not_taken', 'closed')),
  CONSTRAINT "resolution_subject" CHECK(("__new_resolution"."purchase_id" is not null) = ("__new_resolution"."outcome" in ('charged', 'not_charged')) and ("__new_resolution"."usage_batch_id" is not null) = ("__new_resolution"."outcome" in ('taken', 'not_taken')) and ("__new_resolution"."open_item_id" is not null) = ("__new_resolution"."outcome" = 'closed')),
  CONSTRAINT "resolution_source" CHECK("__new_resolution"."source" in ('operator', 'late_answer')),
  CONSTRAINT "resolution_amount" CHECK("__new_resolution"."amount_micros" >= 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_resolution`("id", "purchase_id", "outcome", "amount_micros", "currency", "source", "at") SELECT "id", "purchase_id", "outcome", "amount_micros", "currency", "source", "at" FROM `resolution`;--> statement-breakpoint
DROP TABLE `resolution`;--> statement-breakpoint
ALTER TABLE `__new_resolution` RENAME TO `resolution`;--> statement-breakpoint
CREATE INDEX `resolution_by_purchase` ON `resolution` (`purchase_id`);--> statement-breakpoint
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
  PRIMARY KEY(`run_id`, `site_id`),
  FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
  CONSTRAINT "run_site_stop" CHECK("__new_run_site"."stop" in ('budget_exhausted', 'max_pages', 'max_spend', 'max_duration', 'not_enabled', 'overcharged', 'charge_unreadable', 'license_mismatch', 'unauthorized', 'redirected', 'empty_content', 'not_configured', 'walk_failed', 'failed')),
  CONSTRAINT "run_site_walk_ended" CHECK("__new_run_site"."walk_ended" in ('complete', 'cut')),
  CONSTRAINT "run_site_walk_ordered" CHECK("__new_run_site"."walk_ordered" in (0, 1)),
  CONSTRAINT "run_site_token_while_walking" CHECK("__new_run_site"."walk_ended" is null or "__new_run_site"."walk_page_token" is null),
  CONSTRAINT "run_site_waiting" CHECK("__new_run_site"."waiting_pages" >= 0),
  CONSTRAINT "run_site_approved" CHECK("__new_run_site"."approved" >= 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_run_site`("run_id", "site_id", "position", "max_pages", "full_walk_every_ms", "overlap_ms", "approved", "walk_page_token", "walk_pages_read", "walk_stop_below_at", "walk_ordered", "walk_last_at", "walk_newest_at", "walk_ended", "walk_warning", "filling_batch_id", "waiting_pages", "quote_batch_size", "stop", "stop_detail") SELECT "run_id", "site_id", "position", "max_pages", "full_walk_every_ms", "overlap_ms", "approved", "walk_page_token", "walk_pages_read", "walk_stop_below_at", "walk_ordered", "walk_last_at", "walk_newest_at", "walk_ended", "walk_warning", "filling_batch_id", "waiting_pages", "quote_batch_size", "stop", "stop_detail" FROM `run_site`;--> statement-breakpoint
DROP TABLE `run_site`;--> statement-breakpoint
ALTER TABLE `__new_run_site` RENAME TO `run_site`;--> statement-breakpoint
CREATE TABLE `__new_run` (
  `id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
  `name` text NOT NULL,
  `started_by` text DEFAULT 'manual' NOT NULL,
  `kind` text NOT NULL,
  `state` text NOT NULL,
  `reason` text,
  `started_at` integer NOT NULL,
  `ended_at` integer,
  `max_pages` integer,
  `max_spend_micros` integer,
  `max_spend_currency` text,
  `deadline_at` integer,
  `worked_ms` integer DEFAULT 0 NOT NULL,
  `resumed_at` integer,
  `process` text,
  `alive_until` integer,
  `taken_over_by` integer,
  `approved` integer DEFAULT 0 NOT NULL,
  `last_site_id` integer DEFAULT 0 NOT NULL,
  `purchases_after` integer NOT NULL,
  `frontier_dropped` integer DEFAULT 0 NOT NULL,
  FOREIGN KEY (`taken_over_by`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
  CONSTRAINT "run_kind" CHECK("__new_run"."kind" in ('run', 'plan')),
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
INSERT INTO `__new_run`("id", "name", "kind", "state", "reason", "started_at", "ended_at", "max_pages", "max_spend_micros", "max_spend_currency", "deadline_at", "approved", "last_site_id", "purchases_after", "frontier_dropped") SELECT "id", "name", "kind", "state", "reason", "started_at", "ended_at", "max_pages", "max_spend_micros", "max_spend_currency", "deadline_at", "approved", "last_site_id", "purchases_after", "frontier_dropped" FROM `run`;--> statement-breakpoint
-- Ids of runs are never used again.
DELETE FROM sqlite_sequence WHERE name = '__new_run';--> statement-breakpoint
INSERT INTO sqlite_sequence (name, seq) SELECT '__new_run', seq FROM sqlite_sequence WHERE name = 'run';--> statement-breakpoint
DROP TABLE `run`;--> statement-breakpoint
ALTER TABLE `__new_run` RENAME TO `run`;--> statement-breakpoint
CREATE UNIQUE INDEX `run_name_unique` ON `run` (`name`);--> statement-breakpoint
CREATE INDEX `run_unfinished` ON `run` (`id`) WHERE kind = 'run' and state in ('running', 'interrupted', 'failed');--> statement-breakpoint
CREATE INDEX `run_plans` ON `run` (`id`) WHERE kind = 'plan';--> statement-breakpoint
CREATE INDEX `run_dropping` ON `run` (`id`) WHERE frontier_dropped = 0 and state <> 'running';--> statement-breakpoint
CREATE TABLE `__new_tally` (
  `run_id` integer NOT NULL,
  `site_id` integer NOT NULL,
  `kind` text NOT NULL,
  `reason` text NOT NULL,
  `count` integer NOT NULL,
  PRIMARY KEY(`run_id`, `site_id`, `kind`, `reason`),
  FOREIGN KEY (`run_id`,`site_id`) REFERENCES `run_site`(`run_id`,`site_id`) ON UPDATE no action ON DELETE no action,
  CONSTRAINT "tally_kind" CHECK("__new_tally"."kind" in ('seen', 'unchanged', 'excluded', 'rejected', 'quoted', 'approved', 'denied', 'settled', 'released', 'in_doubt', 'repurchased', 'repurchased_equal', 'empty', 'use_recorded', 'use_reported', 'use_rejected')),
  CONSTRAINT "tally_count" CHECK("__new_tally"."count" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_tally`("run_id", "site_id", "kind", "reason", "count") SELECT "run_id", "site_id", "kind", "reason", "count" FROM `tally`;--> statement-breakpoint
DROP TABLE `tally`;--> statement-breakpoint
ALTER TABLE `__new_tally` RENAME TO `tally`;--> statement-breakpoint
ALTER TABLE `page` ADD `keep_off` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
-- A purchase keeps the spelling that it was quoted under; so far it was read from the page.
CREATE TABLE `__new_purchase` (
  `id` integer PRIMARY KEY NOT NULL,
  `run_id` integer NOT NULL,
  `site_id` integer NOT NULL,
  `page_id` integer NOT NULL,
  `url` text NOT NULL,
  `batch_id` integer NOT NULL,
  `state` text NOT NULL,
  `intent` text NOT NULL,
  `format` text NOT NULL,
  `policy_name` text NOT NULL,
  `rule_index` integer NOT NULL,
  `rule_id` integer,
  `license_id` integer,
  `listing_id` integer,
  `quoted_micros` integer NOT NULL,
  `fee_micros` integer NOT NULL,
  `use_reserve_micros` integer NOT NULL,
  `currency` text,
  `reports_fetch` integer NOT NULL,
  `reserved_at` integer NOT NULL,
  `started_at` integer,
  `ended_at` integer,
  `token` text,
  `token_expires_at` integer,
  `reason` text,
  `detail` text,
  `charged_micros` integer,
  `charged_fee_micros` integer,
  `charged_currency` text,
  `overcharged` integer DEFAULT 0 NOT NULL,
  `request_id` text,
  `last_mod` text,
  `last_mod_at` integer,
  FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`rule_id`) REFERENCES `rule`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`license_id`) REFERENCES `license`(`id`) ON UPDATE no action ON DELETE no action,
  FOREIGN KEY (`listing_id`) REFERENCES `listing`(`id`) ON UPDATE no action ON DELETE no action,
  CONSTRAINT "purchase_state" CHECK("__new_purchase"."state" in ('reserved', 'started', 'settled', 'released', 'in_doubt')),
  CONSTRAINT "purchase_intent" CHECK("__new_purchase"."intent" in ('content', 'indexing')),
  CONSTRAINT "purchase_format" CHECK("__new_purchase"."format" in ('markdown', 'html', 'both')),
  CONSTRAINT "purchase_amounts" CHECK("__new_purchase"."quoted_micros" >= 0 and "__new_purchase"."fee_micros" >= 0 and "__new_purchase"."use_reserve_micros" >= 0),
  CONSTRAINT "purchase_charged_amounts" CHECK("__new_purchase"."charged_micros" >= 0 and "__new_purchase"."charged_fee_micros" >= 0),
  CONSTRAINT "purchase_rule" CHECK("__new_purchase"."rule_index" >= 0),
  CONSTRAINT "purchase_reports_fetch" CHECK("__new_purchase"."reports_fetch" in (0, 1)),
  CONSTRAINT "purchase_overcharged" CHECK("__new_purchase"."overcharged" in (0, 1)),
  CONSTRAINT "purchase_indexing_is_free" CHECK(("__new_purchase"."intent" = 'indexing') = ("__new_purchase"."currency" is null) and ("__new_purchase"."currency" is null) = ("__new_purchase"."license_id" is null) and ("__new_purchase"."currency" is not null or "__new_purchase"."quoted_micros" + "__new_purchase"."fee_micros" + "__new_purchase"."use_reserve_micros" = 0)),
  CONSTRAINT "purchase_token_while_started" CHECK(("__new_purchase"."state" = 'started') = ("__new_purchase"."token" is not null)),
  CONSTRAINT "purchase_token_expiry" CHECK(("__new_purchase"."token" is null) = ("__new_purchase"."token_expires_at" is null)),
  CONSTRAINT "purchase_ended" CHECK(("__new_purchase"."state" in ('reserved', 'started')) = ("__new_purchase"."ended_at" is null)),
  CONSTRAINT "purchase_started" CHECK("__new_purchase"."state" <> 'started' or "__new_purchase"."started_at" is not null),
  CONSTRAINT "purchase_charge_when_settled" CHECK(("__new_purchase"."state" = 'settled') = ("__new_purchase"."charged_micros" is not null)),
  CONSTRAINT "purchase_charge_whole" CHECK(("__new_purchase"."charged_micros" is null) = ("__new_purchase"."charged_fee_micros" is null)),
  CONSTRAINT "purchase_reason" CHECK("__new_purchase"."state" not in ('released', 'in_doubt') or "__new_purchase"."reason" is not null)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_purchase`("url", "id", "run_id", "site_id", "page_id", "batch_id", "state", "intent", "format", "policy_name", "rule_index", "license_id", "listing_id", "quoted_micros", "fee_micros", "use_reserve_micros", "currency", "reports_fetch", "reserved_at", "started_at", "ended_at", "token", "token_expires_at", "reason", "detail", "charged_micros", "charged_fee_micros", "charged_currency", "overcharged", "request_id", "last_mod", "last_mod_at") SELECT coalesce(g.wire_url, g.url), p."id", p."run_id", p."site_id", p."page_id", p."batch_id", p."state", p."intent", p."format", p."policy_name", p."rule_index", p."license_id", p."listing_id", p."quoted_micros", p."fee_micros", p."use_reserve_micros", p."currency", p."reports_fetch", p."reserved_at", p."started_at", p."ended_at", p."token", p."token_expires_at", p."reason", p."detail", p."charged_micros", p."charged_fee_micros", p."charged_currency", p."overcharged", p."request_id", p."last_mod", p."last_mod_at" FROM `purchase` p JOIN `page` g ON g.id = p.page_id;--> statement-breakpoint
DROP TABLE `purchase`;--> statement-breakpoint
ALTER TABLE `__new_purchase` RENAME TO `purchase`;--> statement-breakpoint
CREATE UNIQUE INDEX `purchase_open_page` ON `purchase` (`page_id`) WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX `purchase_open_batch` ON `purchase` (`batch_id`) WHERE ended_at is null;--> statement-breakpoint
CREATE INDEX `purchase_in_doubt` ON `purchase` (`page_id`) WHERE state = 'in_doubt';--> statement-breakpoint
CREATE INDEX `purchase_by_page` ON `purchase` (`page_id`);--> statement-breakpoint
ALTER TABLE `usage_batch` ADD `unknown_attempts` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `usage_batch` ADD `unknown_since` integer;--> statement-breakpoint
UPDATE `usage_batch` SET `unknown_attempts` = `attempts`, `unknown_since` = `first_attempt_at` WHERE `state` IN ('frozen', 'needs_reconcile');--> statement-breakpoint
CREATE TRIGGER `resolution_is_a_fact` BEFORE UPDATE ON `resolution` BEGIN SELECT RAISE(ABORT, 'a resolution is never changed'); END;--> statement-breakpoint
CREATE TRIGGER `resolution_stays` BEFORE DELETE ON `resolution` BEGIN SELECT RAISE(ABORT, 'a resolution is never deleted'); END;--> statement-breakpoint
CREATE TRIGGER `purchase_stays` BEFORE DELETE ON `purchase` BEGIN SELECT RAISE(ABORT, 'a purchase is never deleted'); END;
