/**
 * Promise 1, the limits of a run that took over others: they went over to it, so what all of them bought counts against them. A run that a person
 * resumed may have got other limits since, and is passed over; so is what was settled late, after it had been given up.
 */
import { checksOf } from "./audited.ts";

/** Each run that inherits limits, with itself and the runs that it superseded, one after another. */
const CHAINS = `WITH RECURSIVE heir AS (SELECT id AS head, id FROM run WHERE inherits_limits = 1 AND resumed_at IS NULL
  UNION SELECT c.head, r.id FROM heir c JOIN run r ON r.taken_over_by = c.id WHERE r.kind = 'walk' AND r.ended_by = 'run')`;

/** What a purchase counted at its decision, or less: only an overcharge comes to more. No index has the purchases of a run: its bounds do. */
const BOUGHT = `SELECT c.head, sum(p.run_id = c.head) AS own, count(*) AS pages, p.currency,
    sum(iif(p.state = 'settled', min(p.charged_micros + p.charged_fee_micros, p.quoted_micros + p.fee_micros), p.quoted_micros + p.fee_micros + p.use_reserve_micros)) AS micros
  FROM heir c JOIN run m ON m.id = c.id JOIN purchase p ON p.run_id = m.id AND p.id > m.purchases_after AND p.id <= coalesce(m.purchases_until, 9223372036854775807)
  WHERE p.state IN ('reserved', 'started', 'in_doubt') OR p.state = 'settled' AND p.reason IS NULL`;

export const INHERITED_LIMITS = checksOf(1, [
  `SELECT format('run %s took over run %s, whose limits of %s did not go over to it', h.name, r.name, iif(r.max_pages IS NOT NULL AND h.max_pages IS NULL, 'pages', 'money'))
   FROM run h JOIN run r ON r.taken_over_by = h.id AND r.kind = 'walk' AND r.ended_by = 'run'
   WHERE h.inherits_limits = 1 AND h.resumed_at IS NULL AND (r.max_pages IS NOT NULL AND h.max_pages IS NULL OR r.max_spend_micros IS NOT NULL AND h.max_spend_micros IS NULL)`,
  `${CHAINS} SELECT format('run %s bought %d pages with those that it took over, and its limit is %d', h.name, b.pages, h.max_pages)
   FROM (${BOUGHT} GROUP BY c.head) b JOIN run h ON h.id = b.head WHERE b.own > 0 AND b.pages > h.max_pages`,
  `${CHAINS} SELECT format('run %s spent %d micros %s with those that it took over, and its limit is %d', h.name, b.micros, b.currency, h.max_spend_micros)
   FROM (${BOUGHT} GROUP BY c.head, p.currency) b JOIN run h ON h.id = b.head WHERE b.own > 0 AND b.currency = h.max_spend_currency AND b.micros > h.max_spend_micros`,
]);
