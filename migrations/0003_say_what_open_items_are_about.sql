-- What open items are about was in their words alone; it is read from there once, here. Items of one kind about one report become one.
UPDATE `open_item` SET
  `scope` = substr(`detail`, 51, instr(substr(`detail`, 51), ', ') - 1),
  `period` = substr(`detail`, 51 + instr(substr(`detail`, 51), ', ') + 1, instr(`detail`, ', in ') - (51 + instr(substr(`detail`, 51), ', ') + 1)),
  `currency` = substr(`detail`, instr(`detail`, ', in ') + 5, instr(substr(`detail`, instr(`detail`, ', in ') + 5), ':') - 1)
WHERE `kind` = 'over_budget_use' AND `detail` LIKE 'uses that had to be recorded passed the budget of %, %, in %:%';--> statement-breakpoint
-- An overcharged site is not bought from until the item is closed.
UPDATE `open_item` SET
  `purchase_id` = CAST(substr(`detail`, 10) AS INTEGER),
  `site_id` = (SELECT p.`site_id` FROM `purchase` p WHERE p.`id` = CAST(substr(`open_item`.`detail`, 10) AS INTEGER))
WHERE `kind` = 'overcharged' AND `batch_id` IS NULL AND `detail` LIKE 'purchase %:%'
  AND EXISTS (SELECT 1 FROM `purchase` p WHERE p.`id` = CAST(substr(`open_item`.`detail`, 10) AS INTEGER));--> statement-breakpoint
UPDATE `open_item` SET
  `entry_id` = (SELECT min(e.`id`) FROM `usage_entry` e JOIN `page` g ON g.`id` = e.`page_id` WHERE e.`batch_id` = `open_item`.`batch_id` AND g.`url` = `open_item`.`url`)
WHERE `batch_id` IS NOT NULL AND `kind` IN ('missing_receipt', 'wrong_total', 'wrong_currency', 'rejected_entry', 'overcharged');--> statement-breakpoint
UPDATE `open_item` SET
  `count` = (SELECT count(*) FROM `open_item` o WHERE o.`batch_id` = `open_item`.`batch_id` AND o.`kind` = `open_item`.`kind` AND o.`closed_at` IS NULL)
WHERE `batch_id` IS NOT NULL AND `closed_at` IS NULL AND `kind` NOT IN ('rejected_entry', 'needs_reconcile');--> statement-breakpoint
DELETE FROM `open_item` WHERE `batch_id` IS NOT NULL AND `closed_at` IS NULL
  AND EXISTS (SELECT 1 FROM `open_item` o WHERE o.`batch_id` = `open_item`.`batch_id` AND o.`kind` = `open_item`.`kind` AND o.`closed_at` IS NULL AND o.`id` < `open_item`.`id`);--> statement-breakpoint
-- They are numbered from 1 without a gap, by which `audit` notices one that is gone. Nothing refers to them by number before this version.
UPDATE `open_item` SET `id` = n.`id` FROM (SELECT `id` AS `was`, row_number() OVER (ORDER BY `id`) AS `id` FROM `open_item`) n WHERE `open_item`.`id` = n.`was`;
