-- Written by drizzle-kit, then by hand: STRICT and WITHOUT ROWID. Pages whose spellings are one are merged by page-spellings.ts, in the same transaction.
CREATE TABLE `__new_tally` (
  `run_id` integer NOT NULL,
  `site_id` integer NOT NULL,
  `kind` text NOT NULL,
  `reason` text NOT NULL,
  `count` integer NOT NULL,
  PRIMARY KEY(`run_id`, `site_id`, `kind`, `reason`),
  FOREIGN KEY (`run_id`,`site_id`) REFERENCES `run_site`(`run_id`,`site_id`) ON UPDATE no action ON DELETE no action,
  CONSTRAINT "tally_kind" CHECK("__new_tally"."kind" in ('seen', 'unchanged', 'excluded', 'rejected', 'quoted', 'approved', 'denied', 'pruned', 'merged', 'settled', 'released', 'in_doubt', 'repurchased', 'repurchased_equal', 'empty', 'use_recorded', 'use_reported', 'use_rejected')),
  CONSTRAINT "tally_count" CHECK("__new_tally"."count" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_tally`("run_id", "site_id", "kind", "reason", "count") SELECT "run_id", "site_id", "kind", "reason", "count" FROM `tally`;--> statement-breakpoint
DROP TABLE `tally`;--> statement-breakpoint
ALTER TABLE `__new_tally` RENAME TO `tally`;--> statement-breakpoint
ALTER TABLE `page` ADD `spelling_of` integer;--> statement-breakpoint
CREATE INDEX `page_spellings` ON `page` (`spelling_of`) WHERE spelling_of is not null;--> statement-breakpoint
ALTER TABLE `run_site` ADD `exhausted` text DEFAULT '{}' NOT NULL;