/**
 * Rows of the service's tables, for the sweep: one of each sort. They are written with SQL beside a ledger that the other scenarios have
 * filled, because most of them appear only with a service. The runs of the slots are theirs.
 */
export const SERVICE_ROWS = `
  INSERT INTO service (id, fence, process, url, started_at, expires_at)
  VALUES (1, 3, 'host:1', 'http://127.0.0.1:8403', 1000, 9000);
  INSERT INTO ledger_copy (id, made_at, made_by, accepted_at) VALUES (1, 1000, 'host:1', 2000);
  INSERT INTO sweep (id, covered_until, completed_at, sweeps, records, admitted, failures, last_error)
  VALUES (1, 5000, 6000, 4, 40, 2, 1, 'GATEWAY_UNREACHABLE');
  INSERT INTO schedule (name, timing, since) VALUES ('site:news.example', '0 * * * * UTC', 500), ('report', '5m', 600);
  INSERT INTO slot (schedule, slot_at, state, detail, run_id, process, first_at, slots, claimed_at, ended_at) VALUES
    ('site:news.example', 1000, 'done', NULL, (SELECT id FROM run WHERE name = 'bought'), 'host:1', 1000, 1, 1001, 2000),
    ('site:news.example', 2000, 'started', NULL, (SELECT id FROM run WHERE name = 'sunday'), 'host:2', 2000, 1, 2001, NULL),
    ('site:news.example', 3000, 'refused', 'run_3', NULL, 'host:1', 2500, 2, 3001, 3002),
    ('report', 4000, 'claimed', NULL, NULL, 'host:1', 4000, 1, 4001, NULL);
  INSERT INTO alert (id, kind, key, message, details, site, run, code, command, raised_at) VALUES
    (1, 'run_failed', 'run_failed:run_1', 'run_1 failed', '{"runId":"run_1"}', 'news.example', 'run_1', 'DISK_FULL', 'licet runs run_1', 1000),
    (2, 'in_doubt', 'in_doubt:4', 'a purchase is in doubt', '{"purchaseId":4}', NULL, NULL, NULL, NULL, 2000);
  INSERT INTO act (id, kind, at, actor, run_name, host, alert_key, plan_digest, request_key) VALUES
    (9001, 'run_started', 1000, 'anna', 'bought', NULL, NULL, NULL, 'k1'), (9002, 'run_resumed', 1500, 'anna', 'sunday', NULL, NULL, NULL, NULL),
    (9003, 'plan_approved', 1600, 'ben', 'bought', NULL, NULL, 'aa', NULL), (9004, 'site_paused', 1700, 'ben', NULL, 'news.example', NULL, NULL, NULL),
    (9005, 'site_unpaused', 1800, 'ben', NULL, 'other.example', NULL, NULL, NULL),
    (9006, 'alert_acknowledged', 1900, 'ben', NULL, NULL, 'run_failed:run_1', NULL, 'k2');
  INSERT INTO site_pause (site_id, act_id) VALUES ((SELECT id FROM site WHERE host = 'news.example'), 9004);
  UPDATE alert SET acknowledged_by = 9006 WHERE id = 1;
  INSERT INTO configuration (id, digest, text) VALUES (1, 'e34c93a18f32bafb57539e129779bc79112a8ac70454c86528ee57c05d9b5f43', '{"order":"catalog"}');
  INSERT INTO run_configuration (run_id, since, configuration_id) VALUES ((SELECT id FROM run WHERE name = 'bought'), 1000, 1);
  INSERT INTO wait (id, process, run_id, place, code, message, hint, since, until) VALUES
    (1, 'host:1:a', NULL, 'clock', 'CLOCK_BEHIND', 'the clock is behind', 'set it', 1000, NULL),
    (2, 'host:1:a', (SELECT id FROM run WHERE name = 'bought'), 'rate_limit', 'GATEWAY_RATE_LIMITED', 'HTTP 429', NULL, 1000, 9000);
  INSERT INTO alert_delivery (alert_id, receiver, state, attempts, not_before, last_error, ended_at) VALUES
    (1, 'a1b2', 'delivered', 1, 1000, NULL, 1500),
    (2, 'a1b2', 'pending', 2, 5000, 'HTTP 500', NULL);
  INSERT INTO alert_receiver (receiver, kind, since) VALUES ('a1b2', 'run_failed', 500), ('c3d4', 'in_doubt', 600);
  INSERT INTO document_cursor (name, selection, seq, pending_seq, pending_target, process, alive_until, at) VALUES
    ('index', 'all documents', 2, NULL, NULL, NULL, NULL, 1000),
    ('export', 'all documents of news.example', 3, 5, '/tmp/out', 'host:1', 9000, 2000);
  INSERT INTO clock_word (id, at, latest_at, gateway_at, runs_before, purchases_before, bookings_before)
  VALUES (1, 5000, 4000, 4500, 1, 1, 1), (2, 6000, NULL, NULL, 2, 2, 2);
  INSERT INTO closed_month (id, starts_at, ends_at, bookings_before, reopened_after)
  VALUES (1, 100, 200, 0, NULL), (2, 200, 300, 0, 0);
  INSERT INTO documents_left_out (id, through) VALUES (1, 1);
  INSERT INTO spent_budget (scope, period, currency, limit_micros, at) VALUES ('all', 'total', 'USD', 1000000, 1500);
`;
