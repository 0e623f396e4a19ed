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
--> statement-breakpoint
CREATE INDEX `frontier_range_by_batch` ON `frontier_range` (`batch_id`);--> statement-breakpoint
-- The body stays the last column, so the table is built anew. Reports that came before have the rows of their entries.
CREATE TABLE `__new_usage_batch` (
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
	CONSTRAINT "usage_batch_state" CHECK("__new_usage_batch"."state" in ('frozen', 'settled', 'rejected', 'needs_reconcile')),
	CONSTRAINT "usage_batch_attempts" CHECK("__new_usage_batch"."attempts" >= 0),
	CONSTRAINT "usage_batch_first_attempt" CHECK(("__new_usage_batch"."attempts" = 0) = ("__new_usage_batch"."first_attempt_at" is null)),
	CONSTRAINT "usage_batch_closed" CHECK(("__new_usage_batch"."state" = 'frozen') = ("__new_usage_batch"."closed_at" is null)),
	CONSTRAINT "usage_batch_entries" CHECK("__new_usage_batch"."first_entry_id" <= "__new_usage_batch"."last_entry_id"),
	CONSTRAINT "usage_batch_receipts" CHECK("__new_usage_batch"."receipts_as_expected_at" is null or "__new_usage_batch"."state" = 'settled'),
	CONSTRAINT "usage_batch_plain" CHECK("__new_usage_batch"."first_use_id" is null or "__new_usage_batch"."state" in ('frozen', 'needs_reconcile') or "__new_usage_batch"."receipts_as_expected_at" is not null)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_usage_batch`("id", "idempotency_id", "body_hash", "state", "parent_id", "attempts", "first_attempt_at", "unknown_attempts", "unknown_since", "not_before", "detail", "created_at", "closed_at", "first_entry_id", "last_entry_id", "first_use_id", "receipts_as_expected_at", "body") SELECT "id", "idempotency_id", "body_hash", "state", "parent_id", "attempts", "first_attempt_at", "unknown_attempts", "unknown_since", "not_before", "detail", "created_at", "closed_at", "first_entry_id", "last_entry_id", NULL, "receipts_as_expected_at", "body" FROM `usage_batch`;--> statement-breakpoint
DROP TABLE `usage_batch`;--> statement-breakpoint
ALTER TABLE `__new_usage_batch` RENAME TO `usage_batch`;--> statement-breakpoint
CREATE UNIQUE INDEX `usage_batch_idempotency_id_unique` ON `usage_batch` (`idempotency_id`);--> statement-breakpoint
CREATE INDEX `usage_batch_open` ON `usage_batch` (`id`) WHERE state in ('frozen', 'needs_reconcile');--> statement-breakpoint
CREATE UNIQUE INDEX `usage_batch_first_use` ON `usage_batch` (`first_use_id`) WHERE first_use_id is not null;--> statement-breakpoint
CREATE INDEX `usage_batch_halves` ON `usage_batch` (`parent_id`) WHERE parent_id is not null;--> statement-breakpoint
CREATE TRIGGER usage_batch_is_frozen BEFORE UPDATE OF idempotency_id, body, body_hash, first_entry_id, last_entry_id ON usage_batch
BEGIN
  SELECT RAISE(ABORT, 'a usage batch is frozen');
END;
--> statement-breakpoint
CREATE TRIGGER usage_batch_spelled_out BEFORE UPDATE OF first_use_id ON usage_batch WHEN NEW.first_use_id IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'the uses of a usage batch are never changed');
END;
--> statement-breakpoint
CREATE TRIGGER usage_batch_stays BEFORE DELETE ON usage_batch
BEGIN
  SELECT RAISE(ABORT, 'a usage batch is never deleted');
END;
--> statement-breakpoint
DROP VIEW `v1_uses`;--> statement-breakpoint
CREATE VIEW `v1_uses` AS 
SELECT u.id AS use_id, u."key", r.name AS run_id, s.host, g.url, u.purchase_id, u.kind, u.times, l.license_type, l.cuid AS license_cuid,
  coalesce((SELECT iif(u.id <= b.first_use_id + b.last_entry_id - b.first_entry_id, iif(b.state = 'settled', 'settled', 'batched'), NULL)
    FROM usage_batch b WHERE b.first_use_id <= u.id ORDER BY b.first_use_id DESC LIMIT 1), u.state) AS state, u.billed AS is_billed, u.unit_micros, u.currency, u.charged_micros, u.charged_currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', u.used_at / 1000.0, 'unixepoch') AS used_at, strftime('%Y-%m-%dT%H:%M:%fZ', u.recorded_at / 1000.0, 'unixepoch') AS recorded_at
FROM "use" u JOIN site s ON s.id = u.site_id JOIN page g ON g.id = u.page_id JOIN license l ON l.id = u.license_id
  LEFT JOIN run r ON r.id = u.run_id;