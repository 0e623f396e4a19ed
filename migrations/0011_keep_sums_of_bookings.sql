CREATE TABLE `booking_sum` (
	`id` integer PRIMARY KEY NOT NULL,
	`until_seq` integer NOT NULL,
	`day` integer NOT NULL,
	`kind` text NOT NULL,
	`intent` text,
	`by_operator` integer NOT NULL,
	`site_id` integer NOT NULL,
	`run_id` integer,
	`license_id` integer,
	`policy_name` text,
	`rule_index` integer,
	`rule_id` integer,
	`currency` text,
	`charged_currency` text,
	`budget_month` text,
	`count` integer NOT NULL,
	`expected_micros` integer NOT NULL,
	`charged_micros` integer NOT NULL,
	`fee_micros` integer NOT NULL,
	FOREIGN KEY (`site_id`) REFERENCES `site`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`license_id`) REFERENCES `license`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`rule_id`) REFERENCES `rule`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "booking_sum_kind" CHECK("booking_sum"."kind" in ('fetch', 'use', 'receipt', 'charged', 'doubt_opened', 'doubt_charged', 'doubt_not_charged', 'charged_late')),
	CONSTRAINT "booking_sum_by_operator" CHECK("booking_sum"."by_operator" in (0, 1)),
	CONSTRAINT "booking_sum_amounts" CHECK("booking_sum"."count" >= 0 and "booking_sum"."expected_micros" >= 0 and "booking_sum"."charged_micros" >= 0 and "booking_sum"."fee_micros" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `booking_sum_by_day` ON `booking_sum` (`day`);--> statement-breakpoint
-- What was booked before, at once. No booking, no sums.
INSERT INTO `booking_sum` (until_seq, day, kind, intent, by_operator, site_id, run_id, license_id, policy_name, rule_index, rule_id, currency, charged_currency, budget_month, count, expected_micros, charged_micros, fee_micros) SELECT (SELECT max(seq) FROM `booking`), day, kind, intent, by_operator, site_id, run_id, license_id, policy_name, rule_index, rule_id, currency, charged_currency, budget_month, count, expected_micros, charged_micros, fee_micros FROM (SELECT b.at / 86400000 AS day, b.kind, p.intent, b.kind = 'doubt_charged' AND EXISTS
  (SELECT 1 FROM resolution r WHERE r.purchase_id = p.id AND r.outcome = 'charged' AND r.source = 'operator') AS by_operator, p.site_id, p.run_id, p.license_id, p.policy_name,
    p.rule_index, p.rule_id, p.currency, iif(b.kind IN ('charged', 'doubt_charged', 'charged_late'), p.charged_currency, NULL) AS charged_currency, strftime('%Y-%m', p.reserved_at / 1000, 'unixepoch') AS budget_month,
    count(*) AS count, coalesce(sum(quoted_micros + fee_micros + use_reserve_micros), 0) AS expected_micros, coalesce(sum(iif(b.kind IN ('charged', 'doubt_charged', 'charged_late'), p.charged_micros, NULL)), 0) AS charged_micros,
    coalesce(sum(iif(b.kind IN ('charged', 'doubt_charged', 'charged_late'), p.charged_fee_micros, NULL)), 0) AS fee_micros
  FROM booking b CROSS JOIN purchase p ON p.id = b.purchase_id WHERE true GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
  UNION ALL SELECT b.at / 86400000 AS day, u.kind, NULL, 0, u.site_id, p.run_id, u.license_id, p.policy_name, p.rule_index, p.rule_id, u.currency,
    u.charged_currency, strftime('%Y-%m', u.budget_at / 1000, 'unixepoch'), sum(u.times), coalesce(sum(u.billed * u.unit_micros * u.times), 0), coalesce(sum(u.charged_micros), 0), 0
  FROM booking b CROSS JOIN usage_batch r ON r.id = b.usage_batch_id CROSS JOIN use u ON (u.entry_id BETWEEN r.first_entry_id AND r.last_entry_id OR u.id BETWEEN r.first_use_id AND r.first_use_id + r.last_entry_id - r.first_entry_id)
  LEFT JOIN purchase p ON p.id = u.purchase_id WHERE true GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
  UNION ALL SELECT b.at / 86400000 AS day, 'receipt', NULL, 0, g.site_id, NULL, NULL, NULL, NULL, NULL, c.currency, NULL, NULL,
    count(*), 0, CAST(min(total(c.total_micros), 9007199254740991) AS INTEGER), 0
  FROM booking b CROSS JOIN receipt c ON c.batch_id = b.usage_batch_id CROSS JOIN usage_entry e ON e.id = c.entry_id
  CROSS JOIN page g ON g.id = e.page_id WHERE true GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
  UNION ALL SELECT b.at / 86400000 AS day, 'receipt', NULL, 0, u.site_id, NULL, NULL, NULL, NULL, NULL, u.currency, NULL, NULL,
    count(*), 0, CAST(min(total(u.unit_micros * u.times), 9007199254740991) AS INTEGER), 0
  FROM booking b CROSS JOIN usage_batch r ON r.id = b.usage_batch_id AND r.receipts_as_expected_at IS NOT NULL
  CROSS JOIN use u ON (u.entry_id BETWEEN r.first_entry_id AND r.last_entry_id OR u.id BETWEEN r.first_use_id AND r.first_use_id + r.last_entry_id - r.first_entry_id) WHERE true GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
