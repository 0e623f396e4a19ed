CREATE TABLE `wait` (
	`id` integer PRIMARY KEY NOT NULL,
	`process` text NOT NULL,
	`run_id` integer,
	`place` text NOT NULL,
	`code` text NOT NULL,
	`message` text NOT NULL,
	`hint` text,
	`since` integer NOT NULL,
	`until` integer,
	FOREIGN KEY (`run_id`) REFERENCES `run`(`id`) ON UPDATE no action ON DELETE cascade,
	CONSTRAINT "wait_place" CHECK("wait"."place" in ('gateway', 'rate_limit', 'queue', 'ledger', 'disk', 'clock'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `wait_by_process` ON `wait` (`process`);--> statement-breakpoint
CREATE INDEX `wait_by_run` ON `wait` (`run_id`);--> statement-breakpoint
CREATE TABLE `__new_alert_receiver` (
	`receiver` text NOT NULL,
	`kind` text NOT NULL,
	`since` integer NOT NULL,
	PRIMARY KEY(`receiver`, `kind`),
	CONSTRAINT "alert_receiver_kind" CHECK("__new_alert_receiver"."kind" in ('budget_80', 'budget_exhausted', 'run_failed', 'slot_failed', 'in_doubt', 'open_item', 'unreported_for', 'gateway_away', 'waiting', 'ledger_low_disk'))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_alert_receiver`("receiver", "kind", "since") SELECT "receiver", "kind", "since" FROM `alert_receiver`;--> statement-breakpoint
DROP TABLE `alert_receiver`;--> statement-breakpoint
ALTER TABLE `__new_alert_receiver` RENAME TO `alert_receiver`;--> statement-breakpoint
-- Who was told of failed runs was told of failed slots too.
INSERT INTO `alert_receiver`("receiver", "kind", "since") SELECT "receiver", 'slot_failed', "since" FROM `alert_receiver` WHERE "kind" = 'run_failed';--> statement-breakpoint
CREATE TABLE `__new_alert` (
	`id` integer PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`key` text NOT NULL,
	`message` text NOT NULL,
	`details` text NOT NULL,
	`site` text,
	`run` text,
	`code` text,
	`command` text,
	`raised_at` integer NOT NULL,
	CONSTRAINT "alert_kind" CHECK("__new_alert"."kind" in ('budget_80', 'budget_exhausted', 'run_failed', 'slot_failed', 'in_doubt', 'open_item', 'unreported_for', 'gateway_away', 'waiting', 'ledger_low_disk'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_alert`("id", "kind", "key", "message", "details", "raised_at") SELECT "id", "kind", "key", "message", "details", "raised_at" FROM `alert`;--> statement-breakpoint
-- A table that others name by its key is emptied before it is dropped: the deliveries go with their alerts, and come back.
CREATE TEMP TABLE `__deliveries` AS SELECT * FROM `alert_delivery`;--> statement-breakpoint
DROP TABLE `alert`;--> statement-breakpoint
ALTER TABLE `__new_alert` RENAME TO `alert`;--> statement-breakpoint
CREATE UNIQUE INDEX `alert_key_unique` ON `alert` (`key`);--> statement-breakpoint
INSERT INTO `alert_delivery` SELECT * FROM temp.`__deliveries`;--> statement-breakpoint
DROP TABLE temp.`__deliveries`;--> statement-breakpoint
DROP VIEW `v1_balances`;--> statement-breakpoint
DROP VIEW `v1_spend_by_day`;--> statement-breakpoint
CREATE TABLE `__new_balance` (
	`scope` text NOT NULL,
	`period` text NOT NULL,
	`currency` text NOT NULL,
	`reserved_micros` integer NOT NULL,
	`in_doubt_micros` integer NOT NULL,
	`settled_micros` integer NOT NULL,
	`fee_micros` integer NOT NULL,
	`bought_pages` integer DEFAULT 0 NOT NULL,
	`failed_pages` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`scope`, `period`, `currency`),
	CONSTRAINT "balance_pages" CHECK("__new_balance"."bought_pages" >= 0 and "__new_balance"."failed_pages" >= 0),
	CONSTRAINT "balance_amounts" CHECK("__new_balance"."reserved_micros" >= 0 and "__new_balance"."in_doubt_micros" >= 0 and "__new_balance"."settled_micros" >= 0 and "__new_balance"."fee_micros" >= 0),
	CONSTRAINT "balance_exact" CHECK("__new_balance"."reserved_micros" + "__new_balance"."in_doubt_micros" + "__new_balance"."settled_micros" <= 9007199254740991)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `__new_balance`("scope", "period", "currency", "reserved_micros", "in_doubt_micros", "settled_micros", "fee_micros") SELECT "scope", "period", "currency", "reserved_micros", "in_doubt_micros", "settled_micros", "fee_micros" FROM `balance`;--> statement-breakpoint
DROP TABLE `balance`;--> statement-breakpoint
ALTER TABLE `__new_balance` RENAME TO `balance`;--> statement-breakpoint
-- What was bought and what failed before counts too: in the periods of its decision, like its money. A free page has no row yet.
INSERT INTO `balance`("scope", "period", "currency", "reserved_micros", "in_doubt_micros", "settled_micros", "fee_micros", "bought_pages", "failed_pages")
WITH daily AS (
  SELECT run_id, site_id, reserved_at / 86400000 AS day, coalesce(charged_currency, currency) AS currency,
         sum(state = 'settled') AS bought, sum(state = 'released') AS failed
  FROM purchase
  WHERE coalesce(charged_currency, currency) IS NOT NULL
    AND (state = 'settled' OR state = 'released' AND reason NOT IN ('token_unused', 'run_ended', 'site_stopped', 'decided_anew', 'taken_over'))
  GROUP BY 1, 2, 3, 4
), named AS (
  SELECT 'site:' || s.host AS site_scope, 'run:' || r.name AS run_scope, daily.*,
         'day:' || strftime('%F', day * 86400, 'unixepoch') AS day_period,
         'week:' || strftime('%G-W%V', day * 86400, 'unixepoch') AS week_period,
         'month:' || strftime('%Y-%m', day * 86400, 'unixepoch') AS month_period
  FROM daily JOIN site s ON s.id = daily.site_id JOIN run r ON r.id = daily.run_id
), spread AS (
  SELECT 'all' AS scope, day_period AS period, * FROM named
  UNION ALL SELECT 'all', week_period, * FROM named
  UNION ALL SELECT 'all', month_period, * FROM named
  UNION ALL SELECT 'all', 'total', * FROM named
  UNION ALL SELECT site_scope, day_period, * FROM named
  UNION ALL SELECT site_scope, week_period, * FROM named
  UNION ALL SELECT site_scope, month_period, * FROM named
  UNION ALL SELECT site_scope, 'total', * FROM named
  UNION ALL SELECT run_scope, 'total', * FROM named
)
SELECT scope, period, currency, 0, 0, 0, 0, sum(bought), sum(failed) FROM spread WHERE true GROUP BY scope, period, currency
ON CONFLICT (scope, period, currency) DO UPDATE SET bought_pages = excluded.bought_pages, failed_pages = excluded.failed_pages;--> statement-breakpoint
CREATE VIEW `v1_balances` AS 
SELECT b.scope, b.period, b.currency, b.settled_micros - b.fee_micros AS settled_micros, b.fee_micros, b.in_doubt_micros, b.reserved_micros,
  b.bought_pages, b.failed_pages
FROM balance b;--> statement-breakpoint
CREATE VIEW `v1_spend_by_day` AS 
SELECT substr(b.period, 5) AS day, substr(b.scope, 6) AS host, b.currency, b.settled_micros - b.fee_micros AS settled_micros, b.fee_micros,
  b.in_doubt_micros, b.reserved_micros, b.bought_pages, b.failed_pages
FROM balance b WHERE b.scope LIKE 'site:%' AND b.period LIKE 'day:%';
