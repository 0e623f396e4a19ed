-- Written by drizzle-kit, then by hand: STRICT and WITHOUT ROWID, and the triggers and rows of `site_total` at the end.
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
--> statement-breakpoint
CREATE INDEX `alert_delivery_pending` ON `alert_delivery` (`not_before`) WHERE state = 'pending';--> statement-breakpoint
CREATE TABLE `alert` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`message` text NOT NULL,
	`details` text NOT NULL,
	`raised_at` integer NOT NULL,
	CONSTRAINT "alert_kind" CHECK("alert"."kind" in ('budget_80', 'budget_exhausted', 'run_failed', 'in_doubt', 'open_item', 'unreported_for'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `alert_key_unique` ON `alert` (`key`);--> statement-breakpoint
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
--> statement-breakpoint
CREATE UNIQUE INDEX `hint_once` ON `hint` (`wire_url`,`timestamp`,`kind`);--> statement-breakpoint
CREATE INDEX `hint_waiting` ON `hint` (`site_id`,`not_before`) WHERE state = 'waiting';--> statement-breakpoint
CREATE INDEX `hint_entered` ON `hint` (`run_id`) WHERE state = 'entered';--> statement-breakpoint
CREATE INDEX `hint_ignored` ON `hint` (`id`) WHERE state in ('unknown_site', 'excluded');--> statement-breakpoint
CREATE INDEX `hint_by_age` ON `hint` (`received_at`);--> statement-breakpoint
CREATE TABLE `ledger_copy` (
	`id` integer PRIMARY KEY NOT NULL,
	`made_at` integer NOT NULL,
	`made_by` text NOT NULL,
	`accepted_at` integer,
	CONSTRAINT "ledger_copy_single" CHECK("ledger_copy"."id" = 1)
) STRICT;
--> statement-breakpoint
CREATE TABLE `schedule` (
	`name` text PRIMARY KEY NOT NULL,
	`timing` text NOT NULL,
	`since` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE TABLE `service` (
	`id` integer PRIMARY KEY NOT NULL,
	`fence` integer NOT NULL,
	`process` text NOT NULL,
	`url` text,
	`started_at` integer NOT NULL,
	`expires_at` integer,
	CONSTRAINT "service_single" CHECK("service"."id" = 1)
) STRICT;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE INDEX `slot_by_run` ON `slot` (`run_id`) WHERE run_id is not null;--> statement-breakpoint
CREATE INDEX `slot_open` ON `slot` (`schedule`) WHERE state in ('claimed', 'started');--> statement-breakpoint
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
--> statement-breakpoint
ALTER TABLE `run` ADD `key` text;--> statement-breakpoint
ALTER TABLE `run` ADD `in_service` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `run_key` ON `run` (`key`);--> statement-breakpoint
CREATE TABLE `alert_receiver` (
	`receiver` text NOT NULL,
	`kind` text NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`receiver`, `kind`),
	CONSTRAINT "alert_receiver_kind" CHECK("alert_receiver"."kind" in ('budget_80', 'budget_exhausted', 'run_failed', 'in_doubt', 'open_item', 'unreported_for'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
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
--> statement-breakpoint
CREATE TABLE `spent_budget` (
	`scope` text NOT NULL,
	`period` text NOT NULL,
	`currency` text NOT NULL,
	`limit_micros` integer NOT NULL,
	`at` integer NOT NULL,
	PRIMARY KEY(`scope`, `period`, `currency`, `limit_micros`),
	CONSTRAINT "spent_budget_limit" CHECK("spent_budget"."limit_micros" >= 0)
) STRICT, WITHOUT ROWID;--> statement-breakpoint
INSERT INTO `site_total` SELECT `site_id`, `kind`, `reason`, sum(`count`) FROM `tally` WHERE `kind` IN ('seen', 'unchanged', 'excluded', 'denied', 'settled', 'released', 'in_doubt') GROUP BY `site_id`, `kind`, `reason`;--> statement-breakpoint
CREATE TRIGGER `tally_is_totalled` AFTER INSERT ON `tally` WHEN NEW.`kind` IN ('seen', 'unchanged', 'excluded', 'denied', 'settled', 'released', 'in_doubt') AND NEW.`count` > 0 BEGIN INSERT INTO `site_total` (`site_id`, `kind`, `reason`, `count`) VALUES (NEW.`site_id`, NEW.`kind`, NEW.`reason`, NEW.`count`) ON CONFLICT (`site_id`, `kind`, `reason`) DO UPDATE SET `count` = `count` + excluded.`count`; END;--> statement-breakpoint
CREATE TRIGGER `tally_is_totalled_anew` AFTER UPDATE OF `count` ON `tally` WHEN NEW.`count` > OLD.`count` AND NEW.`kind` IN ('seen', 'unchanged', 'excluded', 'denied', 'settled', 'released', 'in_doubt') BEGIN INSERT INTO `site_total` (`site_id`, `kind`, `reason`, `count`) VALUES (NEW.`site_id`, NEW.`kind`, NEW.`reason`, NEW.`count` - OLD.`count`) ON CONFLICT (`site_id`, `kind`, `reason`) DO UPDATE SET `count` = `count` + excluded.`count`; END;
