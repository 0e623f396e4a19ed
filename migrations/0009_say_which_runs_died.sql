ALTER TABLE `run` ADD `purchases_until` integer;--> statement-breakpoint
ALTER TABLE `run` ADD `died_at` integer;--> statement-breakpoint
ALTER TABLE `run` ADD `died_process` text;--> statement-breakpoint
CREATE INDEX `denial_by_run` ON `denial` (`run_id`,`page_id`);