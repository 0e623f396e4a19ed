DROP INDEX `batch_by_site`;--> statement-breakpoint
CREATE INDEX `batch_by_stage` ON `batch` (`run_id`,`stage`,`site_id`,`ready_at`);