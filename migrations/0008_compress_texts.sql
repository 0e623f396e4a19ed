ALTER TABLE `content` ADD `markdown_zstd` blob;--> statement-breakpoint
ALTER TABLE `content` ADD `html_zstd` blob;--> statement-breakpoint
DROP VIEW `v1_documents`;--> statement-breakpoint
CREATE VIEW `v1_documents` AS 
SELECT g.url, s.host, p.id AS purchase_id, r.name AS run_id, p.intent, l.license_type, l.cuid AS license_cuid, l.permissions AS license_permissions,
  CASE p.intent WHEN 'content' THEN p.charged_micros END AS price_micros, coalesce(p.charged_currency, p.currency) AS currency,
  strftime('%Y-%m-%dT%H:%M:%fZ', g.held_at / 1000.0, 'unixepoch') AS stored_at, c.content_hash, c.title, c.author, c.published, c.modified,
  coalesce(c.markdown, d.markdown) AS markdown, c.html, c.markdown_zstd, c.html_zstd
FROM page g JOIN site s ON s.id = g.site_id JOIN purchase p ON p.id = g.held_purchase_id JOIN content c ON c.purchase_id = p.id
  JOIN run r ON r.id = p.run_id LEFT JOIN license l ON l.id = p.license_id LEFT JOIN derived_markdown d ON d.purchase_id = p.id
WHERE NOT EXISTS (SELECT 1 FROM content x WHERE x.purchase_id = c.purchase_id AND x.purged_at IS NOT NULL);