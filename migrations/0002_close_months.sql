CREATE TABLE `closed_month` (
	`id` integer PRIMARY KEY NOT NULL,
	`starts_at` integer NOT NULL,
	`ends_at` integer NOT NULL,
	`bookings_before` integer NOT NULL,
	`reopened_after` integer,
	CONSTRAINT "closed_month_order" CHECK("closed_month"."starts_at" < "closed_month"."ends_at" and "closed_month"."bookings_before" >= 0),
	CONSTRAINT "closed_month_reopened" CHECK("closed_month"."reopened_after" is null or "closed_month"."reopened_after" >= "closed_month"."bookings_before")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `closed_month_once` ON `closed_month` (`ends_at`) WHERE reopened_after is null;
--> statement-breakpoint
DROP TRIGGER purchase_is_booked;
--> statement-breakpoint
CREATE TRIGGER purchase_is_booked AFTER UPDATE OF state ON purchase
WHEN OLD.state <> NEW.state
  AND (NEW.state = 'settled' OR 'in_doubt' IN (OLD.state, NEW.state) AND NEW.quoted_micros + NEW.fee_micros + NEW.use_reserve_micros > 0)
BEGIN
  INSERT INTO booking (at, kind, purchase_id) VALUES (
  (SELECT coalesce((
      SELECT min(ends_at) FROM closed_month c
      WHERE c.reopened_after IS NULL AND c.ends_at > at
        AND EXISTS (SELECT 1 FROM closed_month f WHERE f.reopened_after IS NULL AND f.starts_at <= at AND f.ends_at > at)
        AND NOT EXISTS (SELECT 1 FROM closed_month n WHERE n.reopened_after IS NULL AND n.starts_at = c.ends_at)
    ), at)
    FROM (SELECT iif(coalesce((
    SELECT at FROM booking
    WHERE seq > coalesce((SELECT bookings_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)
    ORDER BY seq DESC LIMIT 1
  ), 0) - NEW.ended_at BETWEEN 1 AND 2678400000, coalesce((
    SELECT at FROM booking
    WHERE seq > coalesce((SELECT bookings_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)
    ORDER BY seq DESC LIMIT 1
  ), 0), NEW.ended_at) AS at)),
  CASE NEW.state
    WHEN 'in_doubt' THEN 'doubt_opened'
    WHEN 'released' THEN 'doubt_not_charged'
    ELSE CASE OLD.state
      WHEN 'in_doubt' THEN iif(NEW.quoted_micros + NEW.fee_micros + NEW.use_reserve_micros > 0, 'doubt_charged', 'charged_late')
      WHEN 'released' THEN 'charged_late'
      ELSE 'charged'
    END
  END,
  NEW.id);
END;
--> statement-breakpoint
DROP TRIGGER report_is_booked;
--> statement-breakpoint
CREATE TRIGGER report_is_booked AFTER UPDATE OF state ON usage_batch
WHEN OLD.state <> NEW.state AND NEW.state = 'settled'
BEGIN
  INSERT INTO booking (at, kind, usage_batch_id) VALUES (
  (SELECT coalesce((
      SELECT min(ends_at) FROM closed_month c
      WHERE c.reopened_after IS NULL AND c.ends_at > at
        AND EXISTS (SELECT 1 FROM closed_month f WHERE f.reopened_after IS NULL AND f.starts_at <= at AND f.ends_at > at)
        AND NOT EXISTS (SELECT 1 FROM closed_month n WHERE n.reopened_after IS NULL AND n.starts_at = c.ends_at)
    ), at)
    FROM (SELECT iif(coalesce((
    SELECT at FROM booking
    WHERE seq > coalesce((SELECT bookings_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)
    ORDER BY seq DESC LIMIT 1
  ), 0) - NEW.closed_at BETWEEN 1 AND 2678400000, coalesce((
    SELECT at FROM booking
    WHERE seq > coalesce((SELECT bookings_before FROM clock_word ORDER BY id DESC LIMIT 1), 0)
    ORDER BY seq DESC LIMIT 1
  ), 0), NEW.closed_at) AS at)),
  'report_taken',
  NEW.id);
END;
