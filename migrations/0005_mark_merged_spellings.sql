DROP INDEX `page_spellings`;--> statement-breakpoint
ALTER TABLE `page` ADD `is_merged` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `page_spellings` ON `page` (`spelling_of`) WHERE spelling_of is not null and is_merged = 0;