-- Bookings, counts and the numbers of documents are written by the functions that move the rows (docs/decisions/0091). Rows stay as they are.
DROP TRIGGER `purchase_is_booked`;
--> statement-breakpoint
DROP TRIGGER `report_is_booked`;
--> statement-breakpoint
DROP TRIGGER `use_is_counted`;
--> statement-breakpoint
DROP TRIGGER `use_is_counted_anew`;
--> statement-breakpoint
DROP TRIGGER `new_page_is_counted`;
--> statement-breakpoint
DROP TRIGGER `held_page_is_counted`;
--> statement-breakpoint
DROP TRIGGER `gone_page_is_counted`;
--> statement-breakpoint
DROP TRIGGER `tally_is_totalled`;
--> statement-breakpoint
DROP TRIGGER `tally_is_totalled_anew`;
--> statement-breakpoint
DROP TRIGGER `document_is_settled`;
