-- A reservation that is taken back no longer counts as approved: its page may be decided again, and would count twice against maxPages.
UPDATE `run` SET `approved` = 0;--> statement-breakpoint
UPDATE `run_site` SET `approved` = 0;--> statement-breakpoint
UPDATE `tally` SET `count` = 0 WHERE `kind` = 'approved';--> statement-breakpoint
UPDATE `run` SET `approved` = c.approved FROM (SELECT run_id, count(*) AS approved FROM `purchase` WHERE NOT (state = 'released' AND reason IN ('run_ended', 'site_stopped', 'decided_anew', 'taken_over')) GROUP BY run_id) c WHERE c.run_id = run.id;--> statement-breakpoint
UPDATE `run_site` SET `approved` = c.approved FROM (SELECT run_id, site_id, count(*) AS approved FROM `purchase` WHERE NOT (state = 'released' AND reason IN ('run_ended', 'site_stopped', 'decided_anew', 'taken_over')) GROUP BY run_id, site_id) c WHERE c.run_id = run_site.run_id AND c.site_id = run_site.site_id;--> statement-breakpoint
UPDATE `tally` SET `count` = c.approved FROM (SELECT run_id, site_id, count(*) AS approved FROM `purchase` WHERE NOT (state = 'released' AND reason IN ('run_ended', 'site_stopped', 'decided_anew', 'taken_over')) GROUP BY run_id, site_id) c WHERE c.run_id = tally.run_id AND c.site_id = tally.site_id AND tally.kind = 'approved';
