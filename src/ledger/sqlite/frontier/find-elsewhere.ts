import type { Answered, Asked, ReadTx } from "../operation.ts";

/** The site's pages that are looked at for one that is stored. */
const MAX_LOOKED_AT = 10_000;

const SELECT_STORED = `SELECT coalesce(wire_url, url) FROM
    (SELECT url, wire_url, held_purchase_id FROM page WHERE url >= ? AND url < ? ORDER BY url LIMIT ?)
  WHERE held_purchase_id IS NOT NULL LIMIT 1`;

/**
 * Reads: run_site, page. The pages of a part are ranges of the index over URLs: `part`, and what goes on with "/" or "?"; so
 * everything else of the site is four ranges, and a large part costs nothing.
 */
export function findElsewhere(tx: ReadTx, { runId, host, part }: Asked<"findElsewhere">): Answered<"findElsewhere"> {
  const site = part.slice(0, part.indexOf("/", part.indexOf("://") + 3));
  // A canonical URL has no character below "!"; "/" is followed by "0", and "?" by "@".
  const ranges: readonly (readonly [from: string, before: string])[] = [
    [`${part}@`, `${site}0`],
    [`${part}0`, `${part}?`],
    [`${part}!`, `${part}/`],
    [`${site}/`, part],
  ];
  let otherPart: string | undefined;
  for (const [from, before] of ranges) {
    otherPart ??= tx.value<string>`SELECT coalesce(wire_url, url) FROM page WHERE url >= ${from} AND url < ${before} ORDER BY url LIMIT 1`;
  }
  return {
    otherPart: otherPart ?? null,
    stored: tx.value<string>(SELECT_STORED, `${site}/`, `${site}0`, MAX_LOOKED_AT) ?? null,
    walkEnded:
      tx.value<number>`SELECT rs.walk_ended IS NOT NULL FROM run r JOIN run_site rs ON rs.run_id = r.id JOIN site s ON s.id = rs.site_id
        WHERE r.name = ${runId} AND s.host = ${host}` !== 0,
  };
}
