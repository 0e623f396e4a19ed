-- 0014_lease_by_stage

CREATE TABLE `alert_delivery` (
	`alert_id` integer NOT NULL,
	`receiver` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`not_before` integer NOT NULL,
	`last_error` text,
	`ended_at` integer,
	PRIMARY KEY(`alert_id`, `receiver`),
	FOREIGN KEY (`alert_id`) REFERENCES `alert`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "alert_delivery_state" CHECK("alert_delivery"."state" in ('pending', 'delivered', 'given_up')),
	CONSTRAINT "alert_delivery_attempts" CHECK("alert_delivery"."attempts" >= 0)
) STRICT;

CREATE INDEX `alert_delivery_pending` ON `alert_delivery` (`not_before`) WHERE state = 'pending';

CREATE TABLE `batch` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` integer NOT NULL,
	`site_id` integer NOT NULL,
	`stage` text NOT NULL,
	`state` text NOT NULL,
	`size` integer DEFAULT 0 NOT NULL,
	`ready_at` integer,
	`fence` integer DEFAULT 0 NOT NULL, `pages` text, `first_purchase_id` integer, `last_purchase_id` integer,
	FOREIGN KEY (`run_id`,`site_id`) REFERENCES `run_site`(`run_id`,`site_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "batch_stage" CHECK("batch"."stage" in ('walk', 'quote', 'acquire')),
	CONSTRAINT "batch_state" CHECK("batch"."state" in ('filling', 'ready', 'leased')),
	CONSTRAINT "batch_size" CHECK("batch"."size" >= 0),
	CONSTRAINT "batch_ready_at" CHECK(("batch"."state" = 'filling') = ("batch"."ready_at" is null))
) STRICT;

CREATE INDEX `batch_by_time` ON `batch` (`run_id`,`ready_at`,`state`);

CREATE TABLE `booking` (
	`seq` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`kind` text NOT NULL,
	`purchase_id` integer,
	`usage_batch_id` integer,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`usage_batch_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "booking_subject" CHECK(("booking"."usage_batch_id" is not null) = ("booking"."kind" = 'report_taken') and ("booking"."purchase_id" is null) = ("booking"."kind" = 'report_taken'))
, CONSTRAINT "booking_kind" CHECK("booking"."kind" = 'charged' or "booking"."kind" = 'doubt_opened' or "booking"."kind" = 'doubt_charged' or "booking"."kind" = 'doubt_not_charged' or "booking"."kind" = 'charged_late' or "booking"."kind" = 'report_taken')) STRICT;

CREATE INDEX `booking_by_time` ON `booking` (`at`);

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

CREATE INDEX `candidate_in_order` ON `candidate` (`run_id`,`currency`,`rank`,`cost_micros`,`age`,`url`);

CREATE TABLE `clock_word` (
	`id` integer PRIMARY KEY NOT NULL,
	`at` integer NOT NULL,
	`latest_at` integer,
	`gateway_at` integer,
	`runs_before` integer NOT NULL,
	`purchases_before` integer NOT NULL,
	`bookings_before` integer NOT NULL,
	CONSTRAINT "clock_word_numbers" CHECK("clock_word"."runs_before" >= 0 and "clock_word"."purchases_before" >= 0 and "clock_word"."bookings_before" >= 0)
) STRICT;

CREATE TABLE `content` (
	`purchase_id` integer PRIMARY KEY NOT NULL,
	`page_id` integer NOT NULL,
	`content_hash` text NOT NULL,
	`title` text,
	`author` text,
	`description` text,
	`image_url` text,
	`modified` text,
	`published` text,
	`conversion_failure` text,
	`markdown` text,
	`html` text,
	`header` text,
	`footer` text,
	`purged_at` integer,
	`purge_reason` text, `markdown_zstd` blob, `html_zstd` blob,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;

CREATE INDEX `content_purged` ON `content` (`purchase_id`) WHERE purged_at is not null;

CREATE TABLE `counter` (
	`name` text PRIMARY KEY NOT NULL,
	`count` integer NOT NULL,
	CONSTRAINT "counter_name" CHECK("counter"."name" in ('use_pending', 'use_batched', 'use_settled', 'use_rejected', 'use_not_reported', 'page_held')),
	CONSTRAINT "counter_count" CHECK("counter"."count" >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE `denial` (
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
	FOREIGN KEY (`listing_id`) REFERENCES `listing`(`id`) ON UPDATE no action ON DELETE no action, CONSTRAINT "denial_reason" CHECK("denial"."reason" = 'no_rule_matched' or "denial"."reason" = 'denied_by_rule' or "denial"."reason" = 'not_licensable' or "denial"."reason" = 'no_usable_rate' or "denial"."reason" = 'no_budget_in_currency' or "denial"."reason" = 'not_quoted' or "denial"."reason" = 'quote_refused' or "denial"."reason" = 'budget_exhausted' or "denial"."reason" = 'max_pages' or "denial"."reason" = 'max_spend' or "denial"."reason" = 'in_doubt' or "denial"."reason" = 'already_open' or "denial"."reason" = 'already_held' or "denial"."reason" = 'site_stopped' or "denial"."reason" = 'kept_off' or "denial"."reason" = 'max_price' or "denial"."reason" = 'not_planned')) STRICT, WITHOUT ROWID;

CREATE INDEX `denial_by_run` ON `denial` (`run_id`,`page_id`);

CREATE INDEX `denial_not_licensable` ON `denial` (`page_id`,`run_id`) WHERE reason = 'not_licensable';

CREATE TABLE `derived_markdown` (
	`purchase_id` integer PRIMARY KEY NOT NULL,
	`markdown` text,
	`failure` text,
	FOREIGN KEY (`purchase_id`) REFERENCES `content`(`purchase_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "derived_markdown_once" CHECK("derived_markdown"."markdown" is null or "derived_markdown"."failure" is null)
) STRICT;

CREATE INDEX `derived_markdown_due` ON `derived_markdown` (`purchase_id`) WHERE markdown is null and failure is null;

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

CREATE TABLE `file_cleaning` (
	`id` integer PRIMARY KEY NOT NULL,
	`due_since` integer NOT NULL,
	CONSTRAINT "file_cleaning_single" CHECK("file_cleaning"."id" = 1)
) STRICT;

CREATE TABLE `flusher` (
	`id` integer PRIMARY KEY NOT NULL,
	`fence` integer NOT NULL,
	`expires_at` integer, `uses_through` integer DEFAULT 0 NOT NULL,
	CONSTRAINT "flusher_single" CHECK("flusher"."id" = 1)
) STRICT;

CREATE TABLE `frontier` (
	`run_id` integer NOT NULL,
	`page_id` integer NOT NULL,
	`state` text NOT NULL,
	`batch_id` integer,
	PRIMARY KEY(`run_id`, `page_id`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "frontier_batch" CHECK("frontier"."batch_id" is null or "frontier"."state" = 'waiting')
, CONSTRAINT "frontier_state" CHECK("frontier"."state" = 'waiting' or "frontier"."state" = 'quoted' or "frontier"."state" = 'decided' or "frontier"."state" = 'unchanged' or "frontier"."state" = 'excluded')) STRICT, WITHOUT ROWID;

CREATE TABLE `hint` (
	`id` integer PRIMARY KEY NOT NULL,
	`subscription` text NOT NULL,
	`site_id` integer,
	`url` text NOT NULL,
	`wire_url` text NOT NULL,
	`kind` text NOT NULL,
	`timestamp` text NOT NULL,
	`at` integer,
	`changed_after` integer NOT NULL,
	`source` text NOT NULL,
	`received_at` integer NOT NULL,
	`state` text NOT NULL,
	`run_id` integer,
	`ended_at` integer,
	`tries` integer DEFAULT 0 NOT NULL,
	`not_before` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "hint_kind" CHECK("hint"."kind" in ('created', 'updated')),
	CONSTRAINT "hint_source" CHECK("hint"."source" in ('delivery', 'history')),
	CONSTRAINT "hint_state" CHECK("hint"."state" in ('waiting', 'entered', 'done', 'unknown_site', 'excluded')),
	CONSTRAINT "hint_site" CHECK(("hint"."site_id" is null) = ("hint"."state" = 'unknown_site')),
	CONSTRAINT "hint_run" CHECK("hint"."state" <> 'entered' or "hint"."run_id" is not null),
	CONSTRAINT "hint_ended" CHECK(("hint"."ended_at" is null) = ("hint"."state" in ('waiting', 'entered'))),
	CONSTRAINT "hint_tries" CHECK("hint"."tries" >= 0)
) STRICT;

CREATE UNIQUE INDEX `hint_once` ON `hint` (`wire_url`,`timestamp`,`kind`);

CREATE INDEX `hint_waiting` ON `hint` (`site_id`,`not_before`) WHERE state = 'waiting';

CREATE INDEX `hint_entered` ON `hint` (`run_id`) WHERE state = 'entered';

CREATE INDEX `hint_ignored` ON `hint` (`id`) WHERE state in ('unknown_site', 'excluded');

CREATE INDEX `hint_by_age` ON `hint` (`received_at`);

CREATE TABLE `ledger_copy` (
	`id` integer PRIMARY KEY NOT NULL,
	`made_at` integer NOT NULL,
	`made_by` text NOT NULL,
	`accepted_at` integer,
	CONSTRAINT "ledger_copy_single" CHECK("ledger_copy"."id" = 1)
) STRICT;

CREATE TABLE `license` (
	`id` integer PRIMARY KEY NOT NULL,
	`fingerprint` text NOT NULL,
	`license_type` text NOT NULL,
	`cuid` text,
	`license_path` text,
	`permissions` text NOT NULL
) STRICT;

CREATE UNIQUE INDEX `license_fingerprint_unique` ON `license` (`fingerprint`);

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
	CONSTRAINT "listed_page_max_price" CHECK("listed_page"."max_price_micros" >= 0),
	CONSTRAINT "listed_page_max_price_currency" CHECK(("listed_page"."max_price_micros" is null) = ("listed_page"."max_price_currency" is null)),
	CONSTRAINT "listed_page_value" CHECK("listed_page"."value" >= 0)
, CONSTRAINT "listed_page_met_as" CHECK("listed_page"."met_as" = 'waiting' or "listed_page"."met_as" = 'unchanged' or "listed_page"."met_as" = 'excluded')) STRICT, WITHOUT ROWID;

CREATE INDEX `listed_page_key` ON `listed_page` (`page_id`,`run_id`) WHERE key is not null;

CREATE UNIQUE INDEX `listed_page_line` ON `listed_page` (`run_id`,`line`);

CREATE TABLE `listing` (
	`id` integer PRIMARY KEY NOT NULL,
	`hash` blob NOT NULL,
	`json` text NOT NULL
) STRICT;

CREATE UNIQUE INDEX `listing_hash_unique` ON `listing` (`hash`);

CREATE TABLE `open_item` (
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
	CONSTRAINT "open_item_kind" CHECK("open_item"."kind" in ('missing_receipt', 'surplus_receipt', 'wrong_total', 'wrong_currency', 'receipt_error', 'rejected_entry', 'needs_reconcile', 'overcharged', 'charge_unreadable', 'license_mismatch', 'charge_differs', 'over_budget_use')),
	CONSTRAINT "open_item_count" CHECK("open_item"."count" >= 1)
) STRICT;

CREATE INDEX `open_item_open` ON `open_item` (`id`) WHERE closed_at is null;

CREATE INDEX `open_item_by_batch` ON `open_item` (`batch_id`,`kind`) WHERE batch_id is not null;

CREATE INDEX `open_item_by_purchase` ON `open_item` (`purchase_id`,`kind`) WHERE purchase_id is not null;

CREATE INDEX `open_item_by_balance` ON `open_item` (`scope`,`period`,`currency`) WHERE scope is not null;

CREATE INDEX `open_item_stops_site` ON `open_item` (`site_id`) WHERE site_id is not null and closed_at is null;

CREATE TABLE `page` (
	`id` integer PRIMARY KEY NOT NULL,
	`site_id` integer NOT NULL,
	`url` text NOT NULL,
	`wire_url` text,
	`last_mod` text,
	`last_mod_at` integer,
	`property_id` text,
	`held_purchase_id` integer,
	`held_at` integer,
	`held_intent` text,
	`keep_off` integer DEFAULT 0 NOT NULL,
	`held_last_mod` text,
	`held_last_mod_at` integer,
	`held_dated_as` text,
	`gone_at` integer,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "page_held" CHECK(("page"."held_purchase_id" is null) = ("page"."held_at" is null) and ("page"."held_at" is null) = ("page"."held_intent" is null)),
	CONSTRAINT "page_held_intent" CHECK("page"."held_intent" in ('content', 'indexing'))
) STRICT;

CREATE UNIQUE INDEX `page_url_unique` ON `page` (`url`);

CREATE INDEX `page_stored` ON `page` (`site_id`,`held_at`) WHERE held_at is not null;

CREATE INDEX `page_gone` ON `page` (`site_id`) WHERE gone_at is not null;

CREATE TABLE `purchase` (
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
	`asked_at` integer,
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
	`valid_until_at` integer,
	`retention_ms` integer, `document_number` integer,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`rule_id`) REFERENCES `rule`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`license_id`) REFERENCES `license`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`listing_id`) REFERENCES `listing`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "purchase_intent" CHECK("purchase"."intent" in ('content', 'indexing')),
	CONSTRAINT "purchase_amounts" CHECK("purchase"."quoted_micros" >= 0 and "purchase"."fee_micros" >= 0 and "purchase"."use_reserve_micros" >= 0),
	CONSTRAINT "purchase_charged_amounts" CHECK("purchase"."charged_micros" >= 0 and "purchase"."charged_fee_micros" >= 0),
	CONSTRAINT "purchase_rule" CHECK("purchase"."rule_index" >= 0),
	CONSTRAINT "purchase_reports_fetch" CHECK("purchase"."reports_fetch" in (0, 1)),
	CONSTRAINT "purchase_overcharged" CHECK("purchase"."overcharged" in (0, 1)),
	CONSTRAINT "purchase_indexing_is_free" CHECK(("purchase"."intent" = 'indexing') = ("purchase"."currency" is null) and ("purchase"."currency" is null) = ("purchase"."license_id" is null) and ("purchase"."currency" is not null or "purchase"."quoted_micros" + "purchase"."fee_micros" + "purchase"."use_reserve_micros" = 0)),
	CONSTRAINT "purchase_token_while_started" CHECK(("purchase"."state" = 'started') = ("purchase"."token" is not null)),
	CONSTRAINT "purchase_token_expiry" CHECK(("purchase"."token" is null) = ("purchase"."token_expires_at" is null)),
	CONSTRAINT "purchase_ended" CHECK(("purchase"."state" in ('reserved', 'started')) = ("purchase"."ended_at" is null)),
	CONSTRAINT "purchase_started" CHECK("purchase"."state" <> 'started' or "purchase"."started_at" is not null),
	CONSTRAINT "purchase_charge_when_settled" CHECK(("purchase"."state" = 'settled') = ("purchase"."charged_micros" is not null)),
	CONSTRAINT "purchase_charge_whole" CHECK(("purchase"."charged_micros" is null) = ("purchase"."charged_fee_micros" is null)),
	CONSTRAINT "purchase_reason" CHECK("purchase"."state" not in ('released', 'in_doubt') or "purchase"."reason" is not null)
, CONSTRAINT "purchase_state" CHECK("purchase"."state" = 'reserved' or "purchase"."state" = 'started' or "purchase"."state" = 'settled' or "purchase"."state" = 'released' or "purchase"."state" = 'in_doubt'), CONSTRAINT "purchase_format" CHECK("purchase"."format" = 'markdown' or "purchase"."format" = 'html' or "purchase"."format" = 'both')) STRICT;

CREATE UNIQUE INDEX `purchase_open_page` ON `purchase` (`page_id`) WHERE ended_at is null;

CREATE INDEX `purchase_in_doubt` ON `purchase` (`page_id`) WHERE state = 'in_doubt';

CREATE INDEX `purchase_doubts` ON `purchase` (`id`) WHERE state = 'in_doubt';

CREATE INDEX `purchase_by_page` ON `purchase` (`page_id`);

CREATE INDEX `purchase_valid_until` ON `purchase` (`site_id`,`valid_until_at`) WHERE valid_until_at is not null;

CREATE INDEX `purchase_retention` ON `purchase` (`policy_name`,`retention_ms`) WHERE retention_ms is not null;

CREATE TABLE `receipt` (
	`id` integer PRIMARY KEY NOT NULL,
	`batch_id` integer NOT NULL,
	`entry_id` integer,
	`url` text NOT NULL,
	`license_type` text NOT NULL,
	`license_cuid` text,
	`per_unit_micros` integer NOT NULL,
	`total_micros` integer NOT NULL,
	`currency` text NOT NULL,
	`error` text,
	`at` integer NOT NULL,
	FOREIGN KEY (`batch_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`entry_id`) REFERENCES `usage_entry`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;

CREATE INDEX `receipt_by_batch` ON `receipt` (`batch_id`);

CREATE INDEX `receipt_by_entry` ON `receipt` (`entry_id`);

CREATE TABLE `rejected_entry` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`site_id` integer NOT NULL,
	`reason` text NOT NULL,
	`raw` text NOT NULL,
	FOREIGN KEY (`run_id`,`site_id`) REFERENCES `run_site`(`run_id`,`site_id`) ON UPDATE no action ON DELETE no action
) STRICT;

CREATE INDEX `rejected_entry_examples` ON `rejected_entry` (`run_id`,`site_id`,`reason`);

CREATE TABLE `resolution` (
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
	CONSTRAINT "resolution_outcome" CHECK("resolution"."outcome" in ('charged', 'not_charged', 'taken', 'not_taken', 'closed')),
	CONSTRAINT "resolution_subject" CHECK(("resolution"."purchase_id" is not null) = ("resolution"."outcome" in ('charged', 'not_charged')) and ("resolution"."usage_batch_id" is not null) = ("resolution"."outcome" in ('taken', 'not_taken')) and ("resolution"."open_item_id" is not null) = ("resolution"."outcome" = 'closed')),
	CONSTRAINT "resolution_source" CHECK("resolution"."source" in ('operator', 'late_answer', 'nothing_to_charge')),
	CONSTRAINT "resolution_amount" CHECK("resolution"."amount_micros" >= 0)
) STRICT;

CREATE INDEX `resolution_by_purchase` ON `resolution` (`purchase_id`);

CREATE TABLE `rule` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL
) STRICT;

CREATE UNIQUE INDEX `rule_text_unique` ON `rule` (`text`);

CREATE TABLE `rejected_line` (
	`run_id` integer NOT NULL,
	`line` integer NOT NULL,
	`reason` text NOT NULL,
	`raw` text NOT NULL,
	PRIMARY KEY(`run_id`, `line`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;

CREATE TABLE `rejected_line_total` (
	`run_id` integer NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`run_id`, `reason`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "rejected_line_total_count" CHECK("rejected_line_total"."count" >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE `run_list` (
	`run_id` integer PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`path` text,
	`planned_at` integer,
	`plan_digest` blob,
	`planned_after` integer,
	`goes_on_from` integer,
	`lines_read` integer DEFAULT 0 NOT NULL,
	`digest` blob,
	`is_read` integer DEFAULT 0 NOT NULL,
	`repeated` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`goes_on_from`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "run_list_source" CHECK("run_list"."source" in ('list', 'plan', 'fetch')),
	CONSTRAINT "run_list_lines" CHECK("run_list"."lines_read" >= 0),
	CONSTRAINT "run_list_is_read" CHECK("run_list"."is_read" in (0, 1)),
	CONSTRAINT "run_list_repeated" CHECK("run_list"."repeated" >= 0)
) STRICT;

CREATE TABLE `run` (
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
	`inherits_limits` integer DEFAULT 0 NOT NULL,
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
	CONSTRAINT "run_kind" CHECK("run"."kind" in ('walk', 'webhook', 'list', 'plan', 'fetch', 'planning')),
	CONSTRAINT "run_ended_by" CHECK("run"."ended_by" in ('nobody', 'itself', 'person', 'service', 'death', 'run')),
	CONSTRAINT "run_order" CHECK("run"."run_order" in ('catalog', 'newest', 'cheapest', 'value')),
	CONSTRAINT "run_state" CHECK("run"."state" in ('running', 'completed', 'budget_exhausted', 'max_pages', 'max_spend', 'max_duration', 'interrupted', 'cancelled', 'failed')),
	CONSTRAINT "run_ended" CHECK(("run"."state" = 'running') = ("run"."ended_at" is null)),
	CONSTRAINT "run_max_pages" CHECK("run"."max_pages" >= 0),
	CONSTRAINT "run_max_spend" CHECK("run"."max_spend_micros" >= 0),
	CONSTRAINT "run_max_spend_currency" CHECK(("run"."max_spend_micros" is null) = ("run"."max_spend_currency" is null)),
	CONSTRAINT "run_approved" CHECK("run"."approved" >= 0),
	CONSTRAINT "run_trigger" CHECK("run"."started_by" in ('manual', 'schedule', 'webhook', 'list')),
	CONSTRAINT "run_worked" CHECK("run"."worked_ms" >= 0)
) STRICT;

CREATE UNIQUE INDEX `run_name_unique` ON `run` (`name`);

CREATE UNIQUE INDEX `run_key` ON `run` (`key`);

CREATE INDEX `run_unfinished` ON `run` (`id`) WHERE kind <> 'planning' and state in ('running', 'interrupted', 'failed');

CREATE INDEX `run_plannings` ON `run` (`id`) WHERE kind = 'planning';

CREATE INDEX `run_successor` ON `run` (`taken_over_by`) WHERE taken_over_by is not null;

CREATE INDEX `run_dropping` ON `run` (`id`) WHERE frontier_dropped = 0 and state <> 'running';

CREATE TABLE `schedule` (
	`name` text PRIMARY KEY NOT NULL,
	`timing` text NOT NULL,
	`since` integer NOT NULL
) STRICT;

CREATE TABLE `service` (
	`id` integer PRIMARY KEY NOT NULL,
	`fence` integer NOT NULL,
	`process` text NOT NULL,
	`url` text,
	`started_at` integer NOT NULL,
	`expires_at` integer, `workers` text DEFAULT '[]' NOT NULL,
	CONSTRAINT "service_single" CHECK("service"."id" = 1)
) STRICT;

CREATE TABLE `site_total` (
	`site_id` integer NOT NULL,
	`kind` text NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`site_id`, `kind`, `reason`),
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "site_total_kind" CHECK("site_total"."kind" in ('seen', 'unchanged', 'excluded', 'denied', 'settled', 'released', 'in_doubt')),
	CONSTRAINT "site_total_count" CHECK("site_total"."count" >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE `site` (
	`id` integer PRIMARY KEY NOT NULL,
	`host` text NOT NULL,
	`high_water_at` integer,
	`last_full_walk_at` integer
) STRICT;

CREATE UNIQUE INDEX `site_host_unique` ON `site` (`host`);

CREATE TABLE `slot` (
	`schedule` text NOT NULL,
	`slot_at` integer NOT NULL,
	`state` text NOT NULL,
	`detail` text,
	`run_id` integer,
	`process` text NOT NULL,
	`first_at` integer NOT NULL,
	`slots` integer NOT NULL,
	`claimed_at` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`schedule`, `slot_at`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE set null,
	CONSTRAINT "slot_state" CHECK("slot"."state" in ('claimed', 'started', 'done', 'refused', 'missed', 'failed'))
) STRICT;

CREATE INDEX `slot_by_run` ON `slot` (`run_id`) WHERE run_id is not null;

CREATE INDEX `slot_open` ON `slot` (`schedule`) WHERE state in ('claimed', 'started');

CREATE TABLE `spent_budget` (
	`scope` text NOT NULL,
	`period` text NOT NULL,
	`currency` text NOT NULL,
	`limit_micros` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`scope`, `period`, `currency`, `limit_micros`),
	CONSTRAINT "spent_budget_limit" CHECK("spent_budget"."limit_micros" >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE `sweep` (
	`id` integer PRIMARY KEY NOT NULL,
	`covered_until` integer,
	`completed_at` integer,
	`sweeps` integer DEFAULT 0 NOT NULL,
	`records` integer DEFAULT 0 NOT NULL,
	`admitted` integer DEFAULT 0 NOT NULL,
	`failures` integer DEFAULT 0 NOT NULL,
	`last_error` text,
	CONSTRAINT "sweep_single" CHECK("sweep"."id" = 1)
) STRICT;

CREATE TABLE `tally` (
	`run_id` integer NOT NULL,
	`site_id` integer NOT NULL,
	`kind` text NOT NULL,
	`reason` text NOT NULL,
	`count` integer NOT NULL,
	PRIMARY KEY(`run_id`, `site_id`, `kind`, `reason`),
	FOREIGN KEY (`run_id`,`site_id`) REFERENCES `run_site`(`run_id`,`site_id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tally_kind" CHECK("tally"."kind" in ('seen', 'unchanged', 'excluded', 'rejected', 'quoted', 'approved', 'denied', 'pruned', 'settled', 'released', 'in_doubt', 'repurchased', 'repurchased_equal', 'empty', 'use_recorded', 'use_reported', 'use_rejected')),
	CONSTRAINT "tally_count" CHECK("tally"."count" >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE `usage_entry` (
	`id` integer PRIMARY KEY NOT NULL,
	`batch_id` integer NOT NULL,
	`position` integer NOT NULL,
	`page_id` integer NOT NULL,
	`wire_url` text NOT NULL,
	`license_type` text NOT NULL,
	`license_cuid` text,
	`times` integer NOT NULL,
	`unit_micros` integer NOT NULL,
	`currency` text NOT NULL,
	FOREIGN KEY (`batch_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "usage_entry_counts" CHECK("usage_entry"."times" >= 1 and "usage_entry"."unit_micros" >= 0 and "usage_entry"."position" >= 0)
) STRICT;

CREATE TABLE `use` (
	`id` integer PRIMARY KEY NOT NULL,
	`key` text,
	`run_id` integer,
	`site_id` integer NOT NULL,
	`page_id` integer NOT NULL,
	`purchase_id` integer,
	`kind` text NOT NULL,
	`times` integer NOT NULL,
	`license_id` integer NOT NULL,
	`unit_micros` integer NOT NULL,
	`currency` text NOT NULL,
	`billed` integer NOT NULL,
	`state` text NOT NULL,
	`entry_id` integer,
	`charged_micros` integer,
	`charged_currency` text,
	`recorded_at` integer NOT NULL,
	`budget_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`license_id`) REFERENCES `license`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`entry_id`) REFERENCES `usage_entry`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "use_kind" CHECK("use"."kind" in ('fetch', 'use')),
	CONSTRAINT "use_times" CHECK("use"."times" >= 1),
	CONSTRAINT "use_amounts" CHECK("use"."unit_micros" >= 0 and "use"."charged_micros" >= 0),
	CONSTRAINT "use_billed" CHECK("use"."billed" in (0, 1)),
	CONSTRAINT "use_fetch_names_purchase" CHECK("use"."kind" <> 'fetch' or ("use"."purchase_id" is not null and "use"."times" = 1)),
	CONSTRAINT "use_charged" CHECK("use"."charged_micros" is null or ("use"."state" = 'settled' and "use"."charged_currency" is not null)), CONSTRAINT "use_state" CHECK("use"."state" = 'pending' or "use"."state" = 'batched' or "use"."state" = 'settled' or "use"."state" = 'rejected' or "use"."state" = 'not_reported'), CONSTRAINT "use_entry" CHECK(("use"."state" = 'batched' or "use"."state" = 'settled' or "use"."state" = 'rejected') = ("use"."entry_id" is not null))) STRICT;

CREATE UNIQUE INDEX `use_key` ON `use` (`key`) WHERE key is not null;

CREATE INDEX `use_by_entry` ON `use` (`entry_id`) WHERE entry_id is not null;

CREATE TABLE `walk_token` (
	`run_id` integer NOT NULL,
	`site_id` integer NOT NULL,
	`token_hash` blob NOT NULL,
	PRIMARY KEY(`run_id`, `site_id`, `token_hash`),
	FOREIGN KEY (`run_id`,`site_id`) REFERENCES `run_site`(`run_id`,`site_id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;

CREATE VIEW `v1_denials` AS 
SELECT r.name AS run_id, s.host, g.url, d.reason, d.detail, d.policy_name AS policy, d.rule_index, strftime('%Y-%m-%dT%H:%M:%fZ', d.at / 1000.0, 'unixepoch') AS denied_at
FROM denial d JOIN run r ON r.id = d.run_id JOIN page g ON g.id = d.page_id JOIN site s ON s.id = g.site_id
WHERE r.kind <> 'planning';

CREATE VIEW `v1_open_items` AS 
SELECT o.id AS item_id, o.kind, o.detail, o.url, o.purchase_id, o.batch_id AS report_id, o.count AS cases,
  strftime('%Y-%m-%dT%H:%M:%fZ', o.at / 1000.0, 'unixepoch') AS opened_at, strftime('%Y-%m-%dT%H:%M:%fZ', o.closed_at / 1000.0, 'unixepoch') AS closed_at
FROM open_item o;

CREATE VIEW `v1_purchases` AS 
SELECT p.id AS purchase_id, r.name AS run_id, s.host, g.url, p.url AS bought_url, p.state, p.reason, p.detail, p.intent,
  p.policy_name AS policy, u.text AS rule, l.license_type, l.cuid AS license_cuid,
  p.currency, p.quoted_micros, p.fee_micros AS quoted_fee_micros,
  p.charged_currency, p.charged_micros, p.charged_fee_micros,
  CASE WHEN p.state IN ('reserved', 'started', 'in_doubt') THEN p.quoted_micros + p.fee_micros + p.use_reserve_micros ELSE 0 END AS set_aside_micros,
  strftime('%Y-%m-%dT%H:%M:%fZ', p.reserved_at / 1000.0, 'unixepoch') AS reserved_at, strftime('%Y-%m-%dT%H:%M:%fZ', p.ended_at / 1000.0, 'unixepoch') AS ended_at
FROM purchase p JOIN run r ON r.id = p.run_id JOIN site s ON s.id = p.site_id JOIN page g ON g.id = p.page_id
  LEFT JOIN rule u ON u.id = p.rule_id LEFT JOIN license l ON l.id = p.license_id;

CREATE VIEW `v1_runs` AS 
SELECT r.name AS run_id, r.state, r.reason, r.started_by AS "trigger",
  strftime('%Y-%m-%dT%H:%M:%fZ', r.started_at / 1000.0, 'unixepoch') AS started_at, strftime('%Y-%m-%dT%H:%M:%fZ', r.ended_at / 1000.0, 'unixepoch') AS ended_at,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'seen'), 0) AS pages_seen,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'settled'), 0) AS pages_bought,
  coalesce(sum(t.count) FILTER (WHERE t.kind = 'in_doubt'), 0) AS pages_in_doubt
FROM run r LEFT JOIN tally t ON t.run_id = r.id
WHERE r.kind <> 'planning' GROUP BY r.id;

CREATE TRIGGER booking_is_a_fact BEFORE UPDATE ON booking
BEGIN
  SELECT RAISE(ABORT, 'a booking is never changed');
END;

CREATE TRIGGER booking_stays BEFORE DELETE ON booking
BEGIN
  SELECT RAISE(ABORT, 'a booking is never deleted');
END;

CREATE TRIGGER clock_word_is_a_fact BEFORE UPDATE ON clock_word
BEGIN
  SELECT RAISE(ABORT, 'a word about the clock is never changed');
END;

CREATE TRIGGER clock_word_stays BEFORE DELETE ON clock_word
BEGIN
  SELECT RAISE(ABORT, 'a word about the clock is never deleted');
END;

CREATE TRIGGER resolution_is_a_fact BEFORE UPDATE ON resolution
BEGIN
  SELECT RAISE(ABORT, 'a resolution is never changed');
END;

CREATE TRIGGER resolution_stays BEFORE DELETE ON resolution
BEGIN
  SELECT RAISE(ABORT, 'a resolution is never deleted');
END;

CREATE TRIGGER receipt_is_a_fact BEFORE UPDATE ON receipt
BEGIN
  SELECT RAISE(ABORT, 'a receipt is never changed');
END;

CREATE TRIGGER receipt_stays BEFORE DELETE ON receipt
BEGIN
  SELECT RAISE(ABORT, 'a receipt is never deleted');
END;

CREATE TRIGGER purchase_stays BEFORE DELETE ON purchase
BEGIN
  SELECT RAISE(ABORT, 'a purchase is never deleted');
END;

CREATE TRIGGER content_stays BEFORE DELETE ON content
BEGIN
  SELECT RAISE(ABORT, 'content that was paid for is never deleted');
END;

CREATE TRIGGER use_stays BEFORE DELETE ON use
BEGIN
  SELECT RAISE(ABORT, 'a use is never deleted');
END;

CREATE TABLE `closed_month` (
	`id` integer PRIMARY KEY NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`bookings_before` integer NOT NULL,
	`reopened_after` integer,
	CONSTRAINT "closed_month_order" CHECK("closed_month"."starts_at" < "closed_month"."ends_at" and "closed_month"."bookings_before" >= 0),
	CONSTRAINT "closed_month_reopened" CHECK("closed_month"."reopened_after" is null or "closed_month"."reopened_after" >= "closed_month"."bookings_before")
) STRICT;

CREATE UNIQUE INDEX `closed_month_once` ON `closed_month` (`ends_at`) WHERE reopened_after is null;

CREATE TABLE `wait` (
	`id` integer PRIMARY KEY NOT NULL,
	`process` text NOT NULL,
	`run_id` integer,
	`place` text NOT NULL,
	`code` text NOT NULL,
	`message` text NOT NULL,
	`hint` text,
	`since` integer NOT NULL,
	`until` integer,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "wait_place" CHECK("wait"."place" in ('gateway', 'rate_limit', 'queue', 'ledger', 'disk', 'clock'))
) STRICT;

CREATE INDEX `wait_by_process` ON `wait` (`process`);

CREATE INDEX `wait_by_run` ON `wait` (`run_id`);

CREATE TABLE "alert_receiver" (
	`receiver` text NOT NULL,
	`kind` text NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`receiver`, `kind`),
	CONSTRAINT "alert_receiver_kind" CHECK("alert_receiver"."kind" in ('budget_80', 'budget_exhausted', 'run_failed', 'slot_failed', 'in_doubt', 'open_item', 'unreported_for', 'gateway_away', 'waiting', 'ledger_low_disk'))
) STRICT, WITHOUT ROWID;

CREATE TABLE "alert" (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`message` text NOT NULL,
	`details` text NOT NULL,
	`site` text,
	`run` text,
	`code` text,
	`command` text,
	`raised_at` integer NOT NULL, `acknowledged_by` integer REFERENCES act(id),
	CONSTRAINT "alert_kind" CHECK("alert"."kind" in ('budget_80', 'budget_exhausted', 'run_failed', 'slot_failed', 'in_doubt', 'open_item', 'unreported_for', 'gateway_away', 'waiting', 'ledger_low_disk'))
) STRICT;

CREATE UNIQUE INDEX `alert_key_unique` ON `alert` (`key`);

CREATE TABLE "balance" (
	`scope` text NOT NULL,
	`period` text NOT NULL,
	`currency` text NOT NULL,
	`reserved_micros` integer NOT NULL,
	`in_doubt_micros` integer NOT NULL,
	`settled_micros` integer NOT NULL,
	`fee_micros` integer NOT NULL,
	`bought_pages` integer DEFAULT 0 NOT NULL,
	`failed_pages` integer DEFAULT 0 NOT NULL, `allowed_micros` integer DEFAULT 0 NOT NULL, `reported_micros` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`scope`, `period`, `currency`),
	CONSTRAINT "balance_pages" CHECK("balance"."bought_pages" >= 0 and "balance"."failed_pages" >= 0),
	CONSTRAINT "balance_amounts" CHECK("balance"."reserved_micros" >= 0 and "balance"."in_doubt_micros" >= 0 and "balance"."settled_micros" >= 0 and "balance"."fee_micros" >= 0),
	CONSTRAINT "balance_exact" CHECK("balance"."reserved_micros" + "balance"."in_doubt_micros" + "balance"."settled_micros" <= 9007199254740991)
) STRICT, WITHOUT ROWID;

CREATE VIEW `v1_balances` AS 
SELECT b.scope, b.period, b.currency, b.settled_micros - b.fee_micros AS settled_micros, b.fee_micros, b.in_doubt_micros, b.reserved_micros,
  b.bought_pages, b.failed_pages
FROM balance b;

CREATE VIEW `v1_spend_by_day` AS 
SELECT substr(b.period, 5) AS day, substr(b.scope, 6) AS host, b.currency, b.settled_micros - b.fee_micros AS settled_micros, b.fee_micros,
  b.in_doubt_micros, b.reserved_micros, b.bought_pages, b.failed_pages
FROM balance b WHERE b.scope LIKE 'site:%' AND b.period LIKE 'day:%';

CREATE TABLE `purged_content` (
	`purchase_id` integer PRIMARY KEY NOT NULL,
	`act_id` integer NOT NULL,
	FOREIGN KEY (`purchase_id`) REFERENCES `content`(`purchase_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`act_id`) REFERENCES `act`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;

CREATE TABLE `documents_left_out` (
	`id` integer PRIMARY KEY NOT NULL,
	`through` integer NOT NULL,
	CONSTRAINT "documents_left_out_single" CHECK("documents_left_out"."id" = 1)
) STRICT;

CREATE UNIQUE INDEX `purchase_document` ON `purchase` (`document_number`) WHERE document_number is not null;

CREATE TABLE `hashed_content` (
	`hash_start` blob NOT NULL,
	`purchase_id` integer NOT NULL,
	PRIMARY KEY(`hash_start`, `purchase_id`)
) STRICT, WITHOUT ROWID;

CREATE TABLE `hashed_through` (
	`id` integer PRIMARY KEY NOT NULL,
	`document_number` integer NOT NULL,
	CONSTRAINT "hashed_through_single" CHECK("hashed_through"."id" = 1)
) STRICT;

CREATE INDEX `use_later` ON `use` (`page_id`,`id`) WHERE kind = 'use';

CREATE VIEW `v1_documents` AS 
SELECT g.url, s.host, p.id AS purchase_id, r.name AS run_id, p.intent, l.license_type, l.cuid AS license_cuid, l.permissions AS license_permissions,
  CASE p.intent WHEN 'content' THEN p.charged_micros END AS price_micros, coalesce(p.charged_currency, p.currency) AS currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.held_at / 1000.0, 'unixepoch') AS stored_at, c.content_hash, c.title, c.author, c.published, c.modified,
  coalesce(c.markdown, d.markdown) AS markdown, c.html, c.markdown_zstd, c.html_zstd
FROM page g JOIN site s ON s.id = g.site_id JOIN purchase p ON p.id = g.held_purchase_id JOIN content c ON c.purchase_id = p.id
  JOIN run r ON r.id = p.run_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN derived_markdown d ON d.purchase_id = p.id
WHERE NOT EXISTS (SELECT 1 FROM content x WHERE x.purchase_id = c.purchase_id AND x.purged_at IS NOT NULL);

CREATE TABLE `site_pause` (
	`site_id` integer PRIMARY KEY NOT NULL,
	`act_id` integer NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`act_id`) REFERENCES `act`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;

CREATE TABLE `configuration` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest` text NOT NULL,
	`text` text NOT NULL
) STRICT;

CREATE UNIQUE INDEX `configuration_digest_unique` ON `configuration` (`digest`);

CREATE TABLE `run_configuration` (
	`run_id` integer NOT NULL,
	`since` integer NOT NULL,
	`configuration_id` integer NOT NULL,
	PRIMARY KEY(`run_id`, `since`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`configuration_id`) REFERENCES `configuration`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;

CREATE TABLE "act" (
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
	CONSTRAINT "act_kind" CHECK("act"."kind" in ('purchase_charged', 'purchase_not_charged', 'report_taken', 'report_not_taken', 'item_closed', 'content_purged', 'copy_accepted', 'run_started', 'run_resumed', 'run_stopped', 'run_cancelled', 'plan_approved', 'site_paused', 'site_unpaused', 'alert_acknowledged')),
	CONSTRAINT "act_subject" CHECK(("act"."purchase_id" is not null) = ("act"."kind" in ('purchase_charged', 'purchase_not_charged', 'content_purged')) and ("act"."usage_batch_id" is not null) = ("act"."kind" in ('report_taken', 'report_not_taken')) and ("act"."open_item_id" is not null) = ("act"."kind" = 'item_closed') and ("act"."run_name" is not null) = ("act"."kind" in ('run_started', 'run_resumed', 'run_stopped', 'run_cancelled', 'plan_approved')) and ("act"."host" is not null) = ("act"."kind" in ('site_paused', 'site_unpaused')) and ("act"."alert_key" is not null) = ("act"."kind" = 'alert_acknowledged') and ("act"."plan_digest" is not null) = ("act"."kind" = 'plan_approved')),
	CONSTRAINT "act_count" CHECK("act"."count" >= 1),
	CONSTRAINT "act_actor" CHECK("act"."actor" <> '')
) STRICT;

CREATE INDEX `act_by_purchase` ON `act` (`purchase_id`) WHERE purchase_id is not null;

CREATE INDEX `act_by_item` ON `act` (`open_item_id`) WHERE open_item_id is not null;

CREATE UNIQUE INDEX `act_by_request` ON `act` (`request_key`) WHERE request_key is not null;

CREATE INDEX `act_by_run` ON `act` (`run_name`) WHERE run_name is not null;

CREATE TABLE "run_site" (
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
	CONSTRAINT "run_site_stop" CHECK("run_site"."stop" in ('budget_exhausted', 'max_pages', 'max_spend', 'max_duration', 'not_enabled', 'overcharged', 'charge_unreadable', 'license_mismatch', 'paused', 'unauthorized', 'redirected', 'empty_content', 'not_configured', 'walk_failed', 'failed')),
	CONSTRAINT "run_site_walk_ended" CHECK("run_site"."walk_ended" in ('complete', 'cut')),
	CONSTRAINT "run_site_walk_ordered" CHECK("run_site"."walk_ordered" in (0, 1)),
	CONSTRAINT "run_site_token_while_walking" CHECK("run_site"."walk_ended" is null or "run_site"."walk_page_token" is null),
	CONSTRAINT "run_site_waiting" CHECK("run_site"."waiting_pages" >= 0),
	CONSTRAINT "run_site_approved" CHECK("run_site"."approved" >= 0)
) STRICT;

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

CREATE TRIGGER act_is_a_fact BEFORE UPDATE OF id, kind, at, actor, reason, purchase_id, usage_batch_id, open_item_id, run_name, host, alert_key, plan_digest, request_key ON act
BEGIN
  SELECT RAISE(ABORT, 'an act is never changed');
END;

CREATE TRIGGER act_stays BEFORE DELETE ON act
BEGIN
  SELECT RAISE(ABORT, 'an act is never deleted');
END;

CREATE TABLE `frontier_range` (
	`run_id` integer NOT NULL,
	`first_page_id` integer NOT NULL,
	`last_page_id` integer NOT NULL,
	`batch_id` integer NOT NULL,
	PRIMARY KEY(`run_id`, `first_page_id`),
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`first_page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`last_page_id`) REFERENCES `page`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "frontier_range_pages" CHECK("frontier_range"."first_page_id" <= "frontier_range"."last_page_id")
) STRICT, WITHOUT ROWID;

CREATE INDEX `frontier_range_by_batch` ON `frontier_range` (`batch_id`);

CREATE TABLE "usage_batch" (
	`id` integer PRIMARY KEY NOT NULL,
	`idempotency_id` text NOT NULL,
	`body_hash` blob NOT NULL,
	`state` text NOT NULL,
	`parent_id` integer,
	`attempts` integer DEFAULT 0 NOT NULL,
	`first_attempt_at` integer,
	`unknown_attempts` integer DEFAULT 0 NOT NULL,
	`unknown_since` integer,
	`not_before` integer DEFAULT 0 NOT NULL,
	`detail` text,
	`created_at` integer NOT NULL,
	`closed_at` integer,
	`first_entry_id` integer NOT NULL,
	`last_entry_id` integer NOT NULL,
	`first_use_id` integer,
	`receipts_as_expected_at` integer,
	`body` blob NOT NULL,
	FOREIGN KEY (`parent_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`first_use_id`) REFERENCES `use`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "usage_batch_state" CHECK("usage_batch"."state" in ('frozen', 'settled', 'rejected', 'needs_reconcile')),
	CONSTRAINT "usage_batch_attempts" CHECK("usage_batch"."attempts" >= 0),
	CONSTRAINT "usage_batch_first_attempt" CHECK(("usage_batch"."attempts" = 0) = ("usage_batch"."first_attempt_at" is null)),
	CONSTRAINT "usage_batch_closed" CHECK(("usage_batch"."state" = 'frozen') = ("usage_batch"."closed_at" is null)),
	CONSTRAINT "usage_batch_entries" CHECK("usage_batch"."first_entry_id" <= "usage_batch"."last_entry_id"),
	CONSTRAINT "usage_batch_receipts" CHECK("usage_batch"."receipts_as_expected_at" is null or "usage_batch"."state" = 'settled'),
	CONSTRAINT "usage_batch_plain" CHECK("usage_batch"."first_use_id" is null or "usage_batch"."state" in ('frozen', 'needs_reconcile') or "usage_batch"."receipts_as_expected_at" is not null)
) STRICT;

CREATE UNIQUE INDEX `usage_batch_idempotency_id_unique` ON `usage_batch` (`idempotency_id`);

CREATE INDEX `usage_batch_open` ON `usage_batch` (`id`) WHERE state in ('frozen', 'needs_reconcile');

CREATE UNIQUE INDEX `usage_batch_first_use` ON `usage_batch` (`first_use_id`) WHERE first_use_id is not null;

CREATE INDEX `usage_batch_halves` ON `usage_batch` (`parent_id`) WHERE parent_id is not null;

CREATE TRIGGER usage_batch_is_frozen BEFORE UPDATE OF idempotency_id, body, body_hash, first_entry_id, last_entry_id ON usage_batch
BEGIN
  SELECT RAISE(ABORT, 'a usage batch is frozen');
END;

CREATE TRIGGER usage_batch_spelled_out BEFORE UPDATE OF first_use_id ON usage_batch WHEN NEW.first_use_id IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'the uses of a usage batch are never changed');
END;

CREATE TRIGGER usage_batch_stays BEFORE DELETE ON usage_batch
BEGIN
  SELECT RAISE(ABORT, 'a usage batch is never deleted');
END;

CREATE VIEW `v1_uses` AS 
SELECT u.id AS use_id, u."key", r.name AS run_id, s.host, g.url, u.purchase_id, u.kind, u.times, l.license_type, l.cuid AS license_cuid,
  coalesce((SELECT iif(u.id <= b.first_use_id + b.last_entry_id - b.first_entry_id, iif(b.state = 'settled', 'settled', 'batched'), NULL)
    FROM usage_batch b WHERE b.first_use_id <= u.id ORDER BY b.first_use_id DESC LIMIT 1), u.state) AS state, u.billed AS is_billed, u.unit_micros, u.currency, u.charged_micros, u.charged_currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.used_at / 1000.0, 'unixepoch') AS used_at, strftime('%Y-%m-%dT%H:%M:%fZ', u.recorded_at / 1000.0, 'unixepoch') AS recorded_at
FROM "use" u JOIN site s ON s.id = u.site_id JOIN page g ON g.id = u.page_id JOIN license l ON l.id = u.license_id
  LEFT JOIN run r ON r.id = u.run_id;

CREATE TABLE `booking_sum` (
	`id` integer PRIMARY KEY NOT NULL,
	`until_seq` integer NOT NULL,
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`intent` text,
	`by_operator` integer NOT NULL,
	`site_id` integer NOT NULL,
	`run_id` integer,
	`license_id` integer,
	`policy_name` text,
	`rule_index` integer,
	`rule_id` integer,
	`currency` text,
	`charged_currency` text,
	`budget_month` text,
	`count` integer NOT NULL,
	`expected_micros` integer NOT NULL,
	`charged_micros` integer NOT NULL,
	`fee_micros` integer NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`license_id`) REFERENCES `license`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`rule_id`) REFERENCES `rule`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "booking_sum_kind" CHECK("booking_sum"."kind" in ('fetch', 'use', 'receipt', 'charged', 'doubt_opened', 'doubt_charged', 'doubt_not_charged', 'charged_late')),
	CONSTRAINT "booking_sum_by_operator" CHECK("booking_sum"."by_operator" in (0, 1)),
	CONSTRAINT "booking_sum_amounts" CHECK("booking_sum"."count" >= 0 and "booking_sum"."expected_micros" >= 0 and "booking_sum"."charged_micros" >= 0 and "booking_sum"."fee_micros" >= 0)
) STRICT;

CREATE INDEX `booking_sum_by_day` ON `booking_sum` (`day`);

CREATE UNIQUE INDEX `booking_of_doubt` ON `booking` (`purchase_id`,`kind`) WHERE kind = 'doubt_opened' or kind = 'doubt_charged' or kind = 'doubt_not_charged';

CREATE INDEX `batch_by_stage` ON `batch` (`run_id`,`stage`,`site_id`,`ready_at`);

INSERT INTO "counter" (name, count) VALUES ('page_held', 0);

INSERT INTO "counter" (name, count) VALUES ('use_batched', 0);

INSERT INTO "counter" (name, count) VALUES ('use_not_reported', 0);

INSERT INTO "counter" (name, count) VALUES ('use_pending', 0);

INSERT INTO "counter" (name, count) VALUES ('use_rejected', 0);

INSERT INTO "counter" (name, count) VALUES ('use_settled', 0);

INSERT INTO "flusher" (id, fence, expires_at, uses_through) VALUES (1, 0, NULL, 0);

INSERT INTO "sqlite_sequence" (name, seq) VALUES ('batch', 0);
