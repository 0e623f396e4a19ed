-- Written by drizzle-kit, then by hand: STRICT, and the triggers of what was rebuilt.
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
  CONSTRAINT "resolution_source" CHECK("__new_resolution"."source" in ('operator', 'late_answer', 'nothing_to_charge')),
  CONSTRAINT "resolution_amount" CHECK("__new_resolution"."amount_micros" >= 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_resolution`("id", "purchase_id", "usage_batch_id", "open_item_id", "outcome", "amount_micros", "currency", "source", "at") SELECT "id", "purchase_id", "usage_batch_id", "open_item_id", "outcome", "amount_micros", "currency", "source", "at" FROM `resolution`;--> statement-breakpoint
DROP TABLE `resolution`;--> statement-breakpoint
ALTER TABLE `__new_resolution` RENAME TO `resolution`;--> statement-breakpoint
CREATE INDEX `resolution_by_purchase` ON `resolution` (`purchase_id`);--> statement-breakpoint
CREATE TRIGGER `resolution_is_a_fact` BEFORE UPDATE ON `resolution` BEGIN SELECT RAISE(ABORT, 'a resolution is never changed'); END;--> statement-breakpoint
CREATE TRIGGER `resolution_stays` BEFORE DELETE ON `resolution` BEGIN SELECT RAISE(ABORT, 'a resolution is never deleted'); END;
