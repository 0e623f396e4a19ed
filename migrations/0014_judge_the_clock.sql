-- Written by drizzle-kit, then by hand: STRICT, the view of what was rebuilt, when content was asked for, and bookings after a word about the clock.
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
--> statement-breakpoint
CREATE TRIGGER `clock_word_is_a_fact` BEFORE UPDATE ON `clock_word` BEGIN SELECT RAISE(ABORT, 'a word about the clock is never changed'); END;--> statement-breakpoint
CREATE TRIGGER `clock_word_stays` BEFORE DELETE ON `clock_word` BEGIN SELECT RAISE(ABORT, 'a word about the clock is never deleted'); END;--> statement-breakpoint
DROP VIEW `v1_open_items`;--> statement-breakpoint
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
	CONSTRAINT "open_item_kind" CHECK("__new_open_item"."kind" in ('missing_receipt', 'surplus_receipt', 'wrong_total', 'wrong_currency', 'receipt_error', 'rejected_entry', 'needs_reconcile', 'overcharged', 'charge_unreadable', 'license_mismatch', 'charge_differs', 'over_budget_use')),
	CONSTRAINT "open_item_count" CHECK("__new_open_item"."count" >= 1)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_open_item`("id", "kind", "detail", "url", "batch_id", "entry_id", "purchase_id", "site_id", "scope", "period", "currency", "count", "at", "closed_at") SELECT "id", "kind", "detail", "url", "batch_id", "entry_id", "purchase_id", "site_id", "scope", "period", "currency", "count", "at", "closed_at" FROM `open_item`;--> statement-breakpoint
DROP TABLE `open_item`;--> statement-breakpoint
ALTER TABLE `__new_open_item` RENAME TO `open_item`;--> statement-breakpoint
CREATE INDEX `open_item_open` ON `open_item` (`id`) WHERE closed_at is null;--> statement-breakpoint
CREATE INDEX `open_item_by_batch` ON `open_item` (`batch_id`,`kind`) WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX `open_item_by_purchase` ON `open_item` (`purchase_id`,`kind`) WHERE purchase_id is not null;--> statement-breakpoint
CREATE INDEX `open_item_by_balance` ON `open_item` (`scope`,`period`,`currency`) WHERE scope is not null;--> statement-breakpoint
CREATE INDEX `open_item_stops_site` ON `open_item` (`site_id`) WHERE site_id is not null and closed_at is null;--> statement-breakpoint
CREATE VIEW `v1_open_items` AS 
SELECT o.id AS item_id, o.kind, o.detail, o.url, o.purchase_id, o.batch_id AS report_id, o.count AS cases,
  strftime('%Y-%m-%dT%H:%M:%fZ', o.at / 1000.0, 'unixepoch') AS opened_at, strftime('%Y-%m-%dT%H:%M:%fZ', o.closed_at / 1000.0, 'unixepoch') AS closed_at
FROM open_item o;--> statement-breakpoint
ALTER TABLE `purchase` ADD `asked_at` integer;--> statement-breakpoint
ALTER TABLE `receipt` ADD `error` text;--> statement-breakpoint
UPDATE `purchase` SET `asked_at` = max(`started_at`, `ended_at` - 60000) WHERE `state` = 'settled' AND EXISTS (SELECT 1 FROM `content` c WHERE c.`purchase_id` = `purchase`.`id`);--> statement-breakpoint
DROP TRIGGER `purchase_is_booked`;--> statement-breakpoint
DROP TRIGGER `report_is_booked`;--> statement-breakpoint
CREATE TRIGGER `purchase_is_booked` AFTER UPDATE OF `state` ON `purchase` WHEN OLD.`state` <> NEW.`state` AND (NEW.`state` = 'settled' OR 'in_doubt' IN (OLD.`state`, NEW.`state`) AND NEW.`quoted_micros` + NEW.`fee_micros` + NEW.`use_reserve_micros` > 0) BEGIN INSERT INTO `booking` (`at`, `kind`, `purchase_id`) VALUES (iif(coalesce((SELECT `at` FROM `booking` WHERE `seq` > coalesce((SELECT `bookings_before` FROM `clock_word` ORDER BY `id` DESC LIMIT 1), 0) ORDER BY `seq` DESC LIMIT 1), 0) - NEW.`ended_at` BETWEEN 1 AND 2678400000, coalesce((SELECT `at` FROM `booking` WHERE `seq` > coalesce((SELECT `bookings_before` FROM `clock_word` ORDER BY `id` DESC LIMIT 1), 0) ORDER BY `seq` DESC LIMIT 1), 0), NEW.`ended_at`), CASE NEW.`state` WHEN 'in_doubt' THEN 'doubt_opened' WHEN 'released' THEN 'doubt_not_charged' ELSE CASE OLD.`state` WHEN 'in_doubt' THEN iif(NEW.`quoted_micros` + NEW.`fee_micros` + NEW.`use_reserve_micros` > 0, 'doubt_charged', 'charged_late') WHEN 'released' THEN 'charged_late' ELSE 'charged' END END, NEW.`id`); END;--> statement-breakpoint
CREATE TRIGGER `report_is_booked` AFTER UPDATE OF `state` ON `usage_batch` WHEN OLD.`state` <> NEW.`state` AND NEW.`state` = 'settled' BEGIN INSERT INTO `booking` (`at`, `kind`, `usage_batch_id`) VALUES (iif(coalesce((SELECT `at` FROM `booking` WHERE `seq` > coalesce((SELECT `bookings_before` FROM `clock_word` ORDER BY `id` DESC LIMIT 1), 0) ORDER BY `seq` DESC LIMIT 1), 0) - NEW.`closed_at` BETWEEN 1 AND 2678400000, coalesce((SELECT `at` FROM `booking` WHERE `seq` > coalesce((SELECT `bookings_before` FROM `clock_word` ORDER BY `id` DESC LIMIT 1), 0) ORDER BY `seq` DESC LIMIT 1), 0), NEW.`closed_at`), 'report_taken', NEW.`id`); END;
