-- Who did what: acts of persons, written with what they change (docs/decisions/0113). What was done before is entered without a name.
CREATE TABLE `act` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`at` integer NOT NULL,
	`actor` text,
	`reason` text,
	`purchase_id` integer,
	`usage_batch_id` integer,
	`open_item_id` integer,
	`run_name` text,
	`count` integer DEFAULT 1 NOT NULL,
	FOREIGN KEY (`purchase_id`) REFERENCES `purchase`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`usage_batch_id`) REFERENCES `usage_batch`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`open_item_id`) REFERENCES `open_item`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "act_kind" CHECK("act"."kind" in ('purchase_charged', 'purchase_not_charged', 'report_taken', 'report_not_taken', 'item_closed', 'content_purged', 'copy_accepted', 'run_stopped', 'run_cancelled')),
	CONSTRAINT "act_subject" CHECK(("act"."purchase_id" is not null) = ("act"."kind" in ('purchase_charged', 'purchase_not_charged', 'content_purged')) and ("act"."usage_batch_id" is not null) = ("act"."kind" in ('report_taken', 'report_not_taken')) and ("act"."open_item_id" is not null) = ("act"."kind" = 'item_closed') and ("act"."run_name" is not null) = ("act"."kind" in ('run_stopped', 'run_cancelled'))),
	CONSTRAINT "act_count" CHECK("act"."count" >= 1),
	CONSTRAINT "act_actor" CHECK("act"."actor" <> '')
) STRICT;
--> statement-breakpoint
CREATE INDEX `act_by_purchase` ON `act` (`purchase_id`) WHERE purchase_id is not null;--> statement-breakpoint
CREATE INDEX `act_by_item` ON `act` (`open_item_id`) WHERE open_item_id is not null;--> statement-breakpoint
CREATE INDEX `act_by_run` ON `act` (`run_name`) WHERE run_name is not null;--> statement-breakpoint
CREATE TABLE `purged_content` (
	`purchase_id` integer PRIMARY KEY NOT NULL,
	`act_id` integer NOT NULL,
	FOREIGN KEY (`purchase_id`) REFERENCES `content`(`purchase_id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`act_id`) REFERENCES `act`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
INSERT INTO act (kind, at, reason, purchase_id, usage_batch_id, open_item_id, run_name, count)
SELECT * FROM (
  SELECT CASE outcome WHEN 'charged' THEN 'purchase_charged' WHEN 'not_charged' THEN 'purchase_not_charged' WHEN 'taken' THEN 'report_taken'
      WHEN 'not_taken' THEN 'report_not_taken' ELSE 'item_closed' END AS kind,
    at, NULL, purchase_id, usage_batch_id, open_item_id, NULL, 1
  FROM resolution WHERE source = 'operator'
  UNION ALL
  SELECT 'content_purged', purged_at, CASE WHEN purge_reason LIKE 'named: %' THEN substr(purge_reason, 8) END, min(purchase_id), NULL, NULL, NULL, count(*)
  FROM content WHERE purged_at IS NOT NULL GROUP BY 2, 3
  UNION ALL
  SELECT 'copy_accepted', accepted_at, NULL, NULL, NULL, NULL, NULL, 1 FROM ledger_copy WHERE accepted_at IS NOT NULL
  UNION ALL
  SELECT CASE state WHEN 'cancelled' THEN 'run_cancelled' ELSE 'run_stopped' END, ended_at, NULL, NULL, NULL, NULL, name, 1
  FROM run WHERE kind <> 'planning' AND ended_by = 'person' AND state IN ('cancelled', 'interrupted') AND ended_at IS NOT NULL
) ORDER BY at;
--> statement-breakpoint
INSERT INTO purged_content (purchase_id, act_id)
SELECT c.purchase_id, a.id FROM content c JOIN act a ON a.kind = 'content_purged' AND a.at = c.purged_at
  AND a.reason IS CASE WHEN c.purge_reason LIKE 'named: %' THEN substr(c.purge_reason, 8) END
WHERE c.purged_at IS NOT NULL;
--> statement-breakpoint
CREATE TRIGGER act_is_a_fact BEFORE UPDATE OF id, kind, at, actor, reason, purchase_id, usage_batch_id, open_item_id, run_name ON act
BEGIN
  SELECT RAISE(ABORT, 'an act is never changed');
END;
--> statement-breakpoint
CREATE TRIGGER act_stays BEFORE DELETE ON act
BEGIN
  SELECT RAISE(ABORT, 'an act is never deleted');
END;
