-- The same constraints without temporary tables (decision 0144). DROP and ADD CONSTRAINT read the rows, and copy none.
ALTER TABLE `denial` DROP CONSTRAINT `denial_reason`;
--> statement-breakpoint
ALTER TABLE `denial` ADD CONSTRAINT "denial_reason" CHECK("denial"."reason" = 'no_rule_matched' or "denial"."reason" = 'denied_by_rule' or "denial"."reason" = 'not_licensable' or "denial"."reason" = 'no_usable_rate' or "denial"."reason" = 'no_budget_in_currency' or "denial"."reason" = 'not_quoted' or "denial"."reason" = 'quote_refused' or "denial"."reason" = 'budget_exhausted' or "denial"."reason" = 'max_pages' or "denial"."reason" = 'max_spend' or "denial"."reason" = 'in_doubt' or "denial"."reason" = 'already_open' or "denial"."reason" = 'already_held' or "denial"."reason" = 'site_stopped' or "denial"."reason" = 'kept_off' or "denial"."reason" = 'max_price' or "denial"."reason" = 'not_planned');
--> statement-breakpoint
ALTER TABLE `listed_page` DROP CONSTRAINT `listed_page_met_as`;
--> statement-breakpoint
ALTER TABLE `listed_page` ADD CONSTRAINT "listed_page_met_as" CHECK("listed_page"."met_as" = 'waiting' or "listed_page"."met_as" = 'unchanged' or "listed_page"."met_as" = 'excluded');
--> statement-breakpoint
ALTER TABLE `booking` DROP CONSTRAINT `booking_kind`;
--> statement-breakpoint
ALTER TABLE `booking` ADD CONSTRAINT "booking_kind" CHECK("booking"."kind" = 'charged' or "booking"."kind" = 'doubt_opened' or "booking"."kind" = 'doubt_charged' or "booking"."kind" = 'doubt_not_charged' or "booking"."kind" = 'charged_late' or "booking"."kind" = 'report_taken');
--> statement-breakpoint
ALTER TABLE `purchase` DROP CONSTRAINT `purchase_state`;
--> statement-breakpoint
ALTER TABLE `purchase` ADD CONSTRAINT "purchase_state" CHECK("purchase"."state" = 'reserved' or "purchase"."state" = 'started' or "purchase"."state" = 'settled' or "purchase"."state" = 'released' or "purchase"."state" = 'in_doubt');
--> statement-breakpoint
ALTER TABLE `purchase` DROP CONSTRAINT `purchase_format`;
--> statement-breakpoint
ALTER TABLE `purchase` ADD CONSTRAINT "purchase_format" CHECK("purchase"."format" = 'markdown' or "purchase"."format" = 'html' or "purchase"."format" = 'both');
--> statement-breakpoint
ALTER TABLE `use` DROP CONSTRAINT `use_state`;
--> statement-breakpoint
ALTER TABLE `use` ADD CONSTRAINT "use_state" CHECK("use"."state" = 'pending' or "use"."state" = 'batched' or "use"."state" = 'settled' or "use"."state" = 'rejected' or "use"."state" = 'not_reported');
--> statement-breakpoint
ALTER TABLE `use` DROP CONSTRAINT `use_entry`;
--> statement-breakpoint
ALTER TABLE `use` ADD CONSTRAINT "use_entry" CHECK(("use"."state" = 'batched' or "use"."state" = 'settled' or "use"."state" = 'rejected') = ("use"."entry_id" is not null));
--> statement-breakpoint
ALTER TABLE `frontier` DROP CONSTRAINT `frontier_state`;
--> statement-breakpoint
ALTER TABLE `frontier` ADD CONSTRAINT "frontier_state" CHECK("frontier"."state" = 'waiting' or "frontier"."state" = 'quoted' or "frontier"."state" = 'decided' or "frontier"."state" = 'unchanged' or "frontier"."state" = 'excluded');
--> statement-breakpoint
DROP INDEX `booking_of_doubt`;
--> statement-breakpoint
CREATE UNIQUE INDEX `booking_of_doubt` ON `booking` (`purchase_id`,`kind`) WHERE kind = 'doubt_opened' or kind = 'doubt_charged' or kind = 'doubt_not_charged';
