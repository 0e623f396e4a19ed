-- Written by drizzle-kit, then by hand: STRICT and WITHOUT ROWID, and the triggers that keep the counts.
CREATE TABLE `counter` (
  `name` text PRIMARY KEY NOT NULL,
  `count` integer NOT NULL,
  CONSTRAINT "counter_name" CHECK("counter"."name" in ('use_pending', 'use_batched', 'use_settled', 'use_rejected', 'use_not_reported', 'page_held')),
  CONSTRAINT "counter_count" CHECK("counter"."count" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `counter` (`name`, `count`) VALUES
  ('use_pending', (SELECT count(*) FROM `use` WHERE `state` = 'pending')),
  ('use_batched', (SELECT count(*) FROM `use` WHERE `state` = 'batched')),
  ('use_settled', (SELECT count(*) FROM `use` WHERE `state` = 'settled')),
  ('use_rejected', (SELECT count(*) FROM `use` WHERE `state` = 'rejected')),
  ('use_not_reported', (SELECT count(*) FROM `use` WHERE `state` = 'not_reported')),
  ('page_held', (SELECT count(`held_purchase_id`) FROM `page`));
--> statement-breakpoint
CREATE TRIGGER `use_is_counted` AFTER INSERT ON `use` BEGIN UPDATE `counter` SET `count` = `count` + 1 WHERE `name` = 'use_' || NEW.`state`; END;--> statement-breakpoint
CREATE TRIGGER `use_is_counted_anew` AFTER UPDATE OF `state` ON `use` WHEN OLD.`state` <> NEW.`state` BEGIN UPDATE `counter` SET `count` = `count` - 1 WHERE `name` = 'use_' || OLD.`state`; UPDATE `counter` SET `count` = `count` + 1 WHERE `name` = 'use_' || NEW.`state`; END;--> statement-breakpoint
CREATE TRIGGER `held_page_is_counted` AFTER UPDATE OF `held_purchase_id` ON `page` WHEN (OLD.`held_purchase_id` IS NULL) <> (NEW.`held_purchase_id` IS NULL) BEGIN UPDATE `counter` SET `count` = `count` + (NEW.`held_purchase_id` IS NOT NULL) - (OLD.`held_purchase_id` IS NOT NULL) WHERE `name` = 'page_held'; END;--> statement-breakpoint
CREATE TRIGGER `new_page_is_counted` AFTER INSERT ON `page` WHEN NEW.`held_purchase_id` IS NOT NULL BEGIN UPDATE `counter` SET `count` = `count` + 1 WHERE `name` = 'page_held'; END;--> statement-breakpoint
CREATE TRIGGER `gone_page_is_counted` AFTER DELETE ON `page` WHEN OLD.`held_purchase_id` IS NOT NULL BEGIN UPDATE `counter` SET `count` = `count` - 1 WHERE `name` = 'page_held'; END;--> statement-breakpoint
CREATE INDEX `purchase_doubts` ON `purchase` (`id`) WHERE state = 'in_doubt';
