/**
 * Rows of the service's tables, for the sweep: one of each sort. They are written with SQL beside a ledger that the other scenarios have
 * filled, because most of them appear only with a service. `site 1` and `run 1` to `3` are theirs.
 */
export const SERVICE_ROWS = `
  INSERT INTO service VALUES (1, 3, 'host:1', 'http://127.0.0.1:8403', 1000, 9000);
  INSERT INTO ledger_copy VALUES (1, 1000, 'host:1', 2000);
  INSERT INTO sweep VALUES (1, 5000, 6000, 4, 40, 2, 1, 'GATEWAY_UNREACHABLE');
  INSERT INTO schedule VALUES ('site:news.example', '0 */6 * * * UTC', 500), ('report', 'every 300000', 500);
  INSERT INTO slot VALUES
    ('site:news.example', 1000, 'done', NULL, 1, 'host:1', 1000, 1, 1001, 2000),
    ('site:news.example', 2000, 'started', NULL, 2, 'host:1', 2000, 1, 2001, NULL),
    ('site:news.example', 3000, 'refused', 'run_3', NULL, 'host:1', 3000, 1, 3001, 3002),
    ('site:news.example', 4000, 'missed', 'no service', NULL, 'host:1', 3500, 3, 5001, 5001),
    ('report', 4000, 'claimed', NULL, NULL, 'host:1', 4000, 1, 4001, NULL);
  INSERT INTO hint VALUES
    (1, 'main', 1, 'https://news.example/h/1', 'https://news.example/h/1', 'created', '2026-11-22T12:00:00Z', 1000, 'delivery', 1001, 'waiting', NULL, NULL),
    (2, 'main', 1, 'https://news.example/h/2', 'https://news.example/h/2', 'updated', '2026-11-22T12:00:01Z', 1000, 'delivery', 1001, 'entered', 2, NULL),
    (3, 'main', 1, 'https://news.example/h/3', 'https://news.example/h/3', 'updated', '2026-11-22T12:00:02Z', 1000, 'history', 1001, 'done', 1, 2000),
    (4, 'main', NULL, 'https://other.example/', 'https://other.example/', 'created', 'yesterday', NULL, 'history', 1001, 'unknown_site', NULL, 1001);
  INSERT INTO alert VALUES
    (1, 'run_failed', 'run_failed:run_1', 'run_1 failed', '{"runId":"run_1"}', 1000),
    (2, 'in_doubt', 'in_doubt:4', 'a purchase is in doubt', '{"purchaseId":4}', 2000);
  INSERT INTO alert_delivery VALUES
    (1, 'a1b2', 'delivered', 1, 1000, NULL, 1500),
    (2, 'a1b2', 'pending', 2, 5000, 'HTTP 500', NULL);
  INSERT INTO alert_receiver VALUES ('a1b2', 'run_failed', 500), ('a1b2', 'in_doubt', 500);
  INSERT OR IGNORE INTO spent_budget VALUES ('all', 'day:2026-11-22', 'USD', 5000000, 1000);
  UPDATE run SET key = 'webhook:news.example:2026-11-22' WHERE id = 1;
`;
