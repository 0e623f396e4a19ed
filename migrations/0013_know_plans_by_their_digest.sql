ALTER TABLE `run_list` ADD `plan_digest` blob;--> statement-breakpoint
ALTER TABLE `run_list` ADD `planned_after` integer;--> statement-breakpoint
UPDATE `run_list` SET `planned_after` = (SELECT coalesce(max(p.`id`), 0) FROM `purchase` p JOIN `run` r ON r.`id` = `run_list`.`run_id` WHERE p.`id` <= r.`purchases_after` AND p.`reserved_at` < `run_list`.`planned_at`) WHERE `source` = 'plan';
