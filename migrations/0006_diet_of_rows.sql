CREATE TABLE `documents_left_out` (
	`id` integer PRIMARY KEY NOT NULL,
	`through` integer NOT NULL,
	CONSTRAINT "documents_left_out_single" CHECK("documents_left_out"."id" = 1)
) STRICT;
--> statement-breakpoint
ALTER TABLE `purchase` ADD `document_number` integer;
--> statement-breakpoint
-- Each document keeps its number, and those that were left out stay so.
UPDATE purchase SET document_number = d.seq FROM settled_document d WHERE d.purchase_id = purchase.id;
--> statement-breakpoint
INSERT INTO documents_left_out (id, through) SELECT 1, seq FROM sqlite_sequence
  WHERE name = 'settled_document' AND seq > (SELECT coalesce(max(seq), 0) FROM settled_document);
--> statement-breakpoint
DROP TABLE `settled_document`;
--> statement-breakpoint
DROP INDEX `purchase_open_batch`;
--> statement-breakpoint
CREATE UNIQUE INDEX `purchase_document` ON `purchase` (`document_number`) WHERE document_number is not null;
--> statement-breakpoint
ALTER TABLE `batch` ADD `pages` text;
--> statement-breakpoint
ALTER TABLE `batch` ADD `first_purchase_id` integer;
--> statement-breakpoint
ALTER TABLE `batch` ADD `last_purchase_id` integer;
--> statement-breakpoint
UPDATE batch SET first_purchase_id = p.first_id, last_purchase_id = p.last_id
  FROM (SELECT batch_id, min(id) AS first_id, max(id) AS last_id FROM purchase WHERE batch_id IN (SELECT id FROM batch) GROUP BY batch_id) p
  WHERE p.batch_id = batch.id AND batch.stage = 'acquire';
--> statement-breakpoint
-- Pages that wait in a batch which is gone wait in none.
UPDATE frontier SET batch_id = NULL WHERE batch_id IS NOT NULL AND batch_id NOT IN (SELECT id FROM batch);
--> statement-breakpoint
UPDATE batch SET pages = (SELECT json_group_array(page_id) FROM (SELECT page_id FROM frontier f WHERE f.batch_id = batch.id ORDER BY page_id))
  WHERE stage = 'quote';
--> statement-breakpoint
DROP INDEX `frontier_waiting`;
--> statement-breakpoint
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
	`receipts_as_expected_at` integer,
	`body` blob NOT NULL,
	FOREIGN KEY (`parent_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "usage_batch_state" CHECK("__new_usage_batch"."state" in ('frozen', 'settled', 'rejected', 'needs_reconcile')),
	CONSTRAINT "usage_batch_attempts" CHECK("__new_usage_batch"."attempts" >= 0),
	CONSTRAINT "usage_batch_first_attempt" CHECK(("__new_usage_batch"."attempts" = 0) = ("__new_usage_batch"."first_attempt_at" is null)),
	CONSTRAINT "usage_batch_closed" CHECK(("__new_usage_batch"."state" = 'frozen') = ("__new_usage_batch"."closed_at" is null)),
	CONSTRAINT "usage_batch_entries" CHECK("__new_usage_batch"."first_entry_id" <= "__new_usage_batch"."last_entry_id"),
	CONSTRAINT "usage_batch_receipts" CHECK("__new_usage_batch"."receipts_as_expected_at" is null or "__new_usage_batch"."state" = 'settled')
) STRICT;
--> statement-breakpoint
-- Receipts that came before have rows of their own. The index of positions leads to the first and the last entry, once more.
INSERT INTO `__new_usage_batch`("id", "idempotency_id", "body_hash", "state", "parent_id", "attempts", "first_attempt_at", "unknown_attempts", "unknown_since", "not_before", "detail", "created_at", "closed_at", "first_entry_id", "last_entry_id", "receipts_as_expected_at", "body")
  SELECT "id", "idempotency_id", "body_hash", "state", "parent_id", "attempts", "first_attempt_at", "unknown_attempts", "unknown_since", "not_before", "detail", "created_at", "closed_at",
    coalesce((SELECT e.id FROM usage_entry e WHERE e.batch_id = b.id ORDER BY e.position LIMIT 1), 0),
    coalesce((SELECT e.id FROM usage_entry e WHERE e.batch_id = b.id ORDER BY e.position DESC LIMIT 1), 0),
    NULL, "body" FROM `usage_batch` b;
--> statement-breakpoint
DROP TABLE `usage_batch`;
--> statement-breakpoint
ALTER TABLE `__new_usage_batch` RENAME TO `usage_batch`;
--> statement-breakpoint
CREATE UNIQUE INDEX `usage_batch_idempotency_id_unique` ON `usage_batch` (`idempotency_id`);
--> statement-breakpoint
CREATE INDEX `usage_batch_open` ON `usage_batch` (`id`) WHERE state in ('frozen', 'needs_reconcile');
--> statement-breakpoint
CREATE INDEX `usage_batch_halves` ON `usage_batch` (`parent_id`) WHERE parent_id is not null;
--> statement-breakpoint
CREATE TRIGGER usage_batch_is_frozen BEFORE UPDATE OF idempotency_id, body, body_hash, first_entry_id, last_entry_id ON usage_batch
BEGIN
  SELECT RAISE(ABORT, 'a usage batch is frozen');
END;
--> statement-breakpoint
CREATE TRIGGER usage_batch_stays BEFORE DELETE ON usage_batch
BEGIN
  SELECT RAISE(ABORT, 'a usage batch is never deleted');
END;
--> statement-breakpoint
DROP INDEX `usage_entry_position`;
--> statement-breakpoint
ALTER TABLE `flusher` ADD `uses_through` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE flusher SET uses_through = coalesce((SELECT min(id) - 1 FROM use WHERE state = 'pending'), (SELECT max(id) FROM use), 0);
--> statement-breakpoint
DROP INDEX `use_pending`;
