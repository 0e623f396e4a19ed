/**
 * Pages that an earlier licet kept apart, `%c3` and `%C3`, `%7E` and `~`, although they are one (catalog/page-url.ts). One row becomes the
 * page; the others say whose spelling they are (`page.spelling_of`), and nothing is theirs any more. What was bought, used, reported or denied
 * stays as it is, and belongs to the page.
 *
 * That waits where it would not do: while both are being bought (a page has one open purchase at most, and both must be answered and
 * count), while a run that may go on has seen both (its counts are those of its frontier), or where one was bought and the other one used
 * without. Such a row is not bought any more, and is looked at again each time the ledger is opened. Called within a write.
 */
import { type CatalogDate, isLaterDate } from "../../../catalog/freshness.ts";
import { canonicalPageUrl } from "../../../catalog/page-url.ts";
import type { Connection } from "./connection.ts";

/** For a page `p`: whether it is being bought, under whatever spelling; nor is one bought that is only another spelling. */
export const IS_BEING_BOUGHT = `(p.spelling_of IS NOT NULL
  OR EXISTS (SELECT 1 FROM purchase o WHERE o.page_id = p.id AND o.ended_at IS NULL)
  OR EXISTS (SELECT 1 FROM page q JOIN purchase o ON o.page_id = q.id AND o.ended_at IS NULL
             WHERE q.spelling_of = p.id AND q.spelling_of IS NOT NULL AND q.is_merged = 0))`;

/** For a page `p`: whether a purchase of it is in doubt, under whatever spelling. */
export const IS_IN_DOUBT = `(EXISTS (SELECT 1 FROM purchase d WHERE d.page_id = p.id AND d.state = 'in_doubt')
  OR EXISTS (SELECT 1 FROM page q JOIN purchase d ON d.page_id = q.id AND d.state = 'in_doubt'
             WHERE q.spelling_of = p.id AND q.spelling_of IS NOT NULL AND q.is_merged = 0))`;

interface SpeltPage extends CatalogDate {
  readonly id: number;
  readonly siteId: number;
  readonly url: string;
  readonly wireUrl: string | null;
  readonly storedPurchaseId: number | null;
}

/** Gives every page its canonical URL, and makes one of those that share it. */
export function mergeSpellings(db: Connection): void {
  const misspelt = db
    .prepare<[], { id: number; url: string }>(
      "SELECT id, url FROM page WHERE spelling_of IS NULL AND instr(url, '%') > 0 ORDER BY id",
    )
    .all()
    .flatMap(({ id, url }) => {
      const canonical = canonicalPageUrl(url);
      return canonical === null || canonical === url ? [] : [{ id, canonical }];
    });
  if (misspelt.length === 0) {
    return;
  }
  const findHolder = db.prepare<[string], number>("SELECT id FROM page WHERE url = ?").pluck();
  const respell = db.prepare<{ id: number; url: string }>(
    "UPDATE page SET wire_url = nullif(coalesce(wire_url, url), @url), url = @url WHERE id = @id",
  );
  const pairs: { readonly id: number; readonly into: number }[] = [];
  for (const { id, canonical } of misspelt) {
    const holder = findHolder.get(canonical);
    if (holder === undefined) {
      respell.run({ id, url: canonical });
    } else {
      pairs.push({ id, into: holder });
    }
  }
  mergePairs(db, pairs);
}

/** Looks again at the spellings that could not be merged so far. */
export function mergeLeftSpellings(db: Connection): void {
  mergePairs(
    db,
    db
      .prepare<[], { id: number; into: number }>(
        'SELECT id, spelling_of AS "into" FROM page WHERE spelling_of IS NOT NULL AND is_merged = 0 ORDER BY id',
      )
      .all(),
  );
}

export function hasLeftSpellings(db: Connection): boolean {
  return db.prepare("SELECT 1 FROM page WHERE spelling_of IS NOT NULL AND is_merged = 0 LIMIT 1").get() !== undefined;
}

function mergePairs(db: Connection, pairs: readonly { readonly id: number; readonly into: number }[]): void {
  if (pairs.length === 0) {
    return;
  }
  const { canMerge, merged } = createMergeCheck(db);
  const moveDecisions = createDecisionMove(db);
  const joinPages = createPageJoin(db);
  const setSpelling = db.prepare<[number, number]>("UPDATE page SET spelling_of = ? WHERE id = ?");
  const select = db.prepare<[number], SpeltPage>(
    `SELECT id, site_id AS siteId, url, wire_url AS wireUrl, last_mod AS lastMod, last_mod_at AS lastModAt,
       held_purchase_id AS storedPurchaseId FROM page WHERE id = ?`,
  );
  db.exec("CREATE TEMP TABLE merged_page (id INTEGER PRIMARY KEY, into_id INTEGER NOT NULL)");
  const note = db.prepare<[number, number]>("INSERT INTO temp.merged_page VALUES (?, ?)");
  for (const { id, into } of pairs) {
    if (canMerge(id, into)) {
      const [from, to] = [select.get(id) as SpeltPage, select.get(into) as SpeltPage];
      moveDecisions(from, to);
      joinPages(from, to);
      merged(id, into);
      note.run(id, into);
    } else {
      setSpelling.run(into, id);
    }
  }
  // Tables without an index by page are gone through once, not once a pair.
  for (const table of ["content", "use", "usage_entry"]) {
    db.exec(
      `UPDATE "${table}" SET page_id = (SELECT into_id FROM temp.merged_page m WHERE m.id = page_id) WHERE page_id IN (SELECT id FROM temp.merged_page)`,
    );
  }
  db.exec("DROP TABLE temp.merged_page");
}

interface MergeCheck {
  canMerge(id: number, into: number): boolean;
  /** Moves what the check looks at. */
  merged(id: number, into: number): void;
}

function createMergeCheck(db: Connection): MergeCheck {
  const isOpen = db.prepare<[number]>("SELECT 1 FROM purchase WHERE page_id = ? AND ended_at IS NULL");
  const isBought = db.prepare<[number]>("SELECT 1 FROM purchase WHERE page_id = ? AND intent = 'content' LIMIT 1");
  const hasSeen = db.prepare<[number, number]>("SELECT 1 FROM frontier WHERE run_id = ? AND page_id = ?");
  const runs = db.prepare<[], number>("SELECT id FROM run WHERE frontier_dropped = 0").pluck().all();
  // A use of a page that was only indexed is booked under other terms than one of a page that was bought.
  const usedUnbought = new Set(
    db.prepare<[], number>("SELECT DISTINCT page_id FROM use WHERE purchase_id IS NULL").pluck().all(),
  );
  const isMixed = (one: number, other: number) => usedUnbought.has(one) && isBought.get(other) !== undefined;
  const moveSeen = db.prepare<[number, number, number]>(
    "UPDATE frontier SET page_id = ? WHERE run_id = ? AND page_id = ?",
  );
  return {
    canMerge: (id, into) =>
      !(isOpen.get(id) !== undefined && isOpen.get(into) !== undefined) &&
      !runs.some((run) => hasSeen.get(run, id) !== undefined && hasSeen.get(run, into) !== undefined) &&
      !isMixed(id, into) &&
      !isMixed(into, id),
    merged(id, into) {
      for (const run of runs) {
        moveSeen.run(into, run, id);
      }
      if (usedUnbought.has(id)) {
        usedUnbought.add(into);
      }
    },
  };
}

/** Purchases and denials: in a run that decided both pages, what is one row less from now on is counted. */
function createDecisionMove(db: Connection): (from: SpeltPage, to: SpeltPage) => void {
  const selectRuns = db
    .prepare<{ id: number }, number>(
      "SELECT run_id FROM purchase WHERE page_id = @id UNION SELECT run_id FROM denial WHERE page_id = @id",
    )
    .pluck();
  const dropDenial = db
    .prepare<[number, number, number, number], string>(
      `DELETE FROM denial WHERE page_id = ? AND run_id = ? AND EXISTS (SELECT 1 FROM denial d WHERE d.page_id = ? AND d.run_id = ?)
       RETURNING reason`,
    )
    .pluck();
  const count = db.prepare<[number, number, "merged" | "pruned", string]>(
    `INSERT INTO tally (run_id, site_id, kind, reason, count) VALUES (?, ?, ?, ?, 1)
     ON CONFLICT (run_id, site_id, kind, reason) DO UPDATE SET count = count + 1`,
  );
  const moves = ["denial", "purchase"].map((table) =>
    db.prepare<[number, number]>(`UPDATE ${table} SET page_id = ? WHERE page_id = ?`),
  );
  return (from, to) => {
    const runsOfBoth = new Set(selectRuns.all({ id: to.id }));
    for (const run of selectRuns.all({ id: from.id })) {
      if (runsOfBoth.has(run)) {
        const reason = dropDenial.get(from.id, run, to.id, run);
        count.run(run, to.siteId, reason === undefined ? "merged" : "pruned", reason ?? "");
      }
    }
    for (const move of moves) {
      move.run(to.id, from.id);
    }
  };
}

/** One row of the two: the first spelling, the newest date, the newest stored version, and a person's word about either. */
function createPageJoin(db: Connection): (from: SpeltPage, to: SpeltPage) => void {
  const takeStored = db.prepare<[number, number]>(
    `UPDATE page SET (held_purchase_id, held_at, held_intent, held_last_mod, held_last_mod_at, held_dated_as) =
       (SELECT held_purchase_id, held_at, held_intent, held_last_mod, held_last_mod_at, held_dated_as FROM page f WHERE f.id = ?) WHERE id = ?`,
  );
  const takeDate = db.prepare<[string | null, number | null, number]>(
    "UPDATE page SET last_mod = ?, last_mod_at = ? WHERE id = ?",
  );
  const join = db.prepare<{ from: number; to: number; wireUrl: string | null }>(
    `UPDATE page SET wire_url = @wireUrl, keep_off = max(keep_off, (SELECT keep_off FROM page f WHERE f.id = @from)),
       property_id = coalesce(property_id, (SELECT property_id FROM page f WHERE f.id = @from)) WHERE id = @to`,
  );
  const empty = db.prepare<[number, number]>(
    `UPDATE page SET spelling_of = ?, is_merged = 1, keep_off = 0, held_purchase_id = NULL, held_at = NULL, held_intent = NULL,
       held_last_mod = NULL, held_last_mod_at = NULL, held_dated_as = NULL WHERE id = ?`,
  );
  return (from, to) => {
    if ((from.storedPurchaseId ?? 0) > (to.storedPurchaseId ?? 0)) {
      takeStored.run(from.id, to.id);
    }
    if (isLaterDate(from, to)) {
      takeDate.run(from.lastMod, from.lastModAt, to.id);
    }
    const first = from.id < to.id ? from : to;
    const wireUrl = first.wireUrl ?? first.url;
    join.run({ from: from.id, to: to.id, wireUrl: wireUrl === to.url ? null : wireUrl });
    empty.run(to.id, from.id);
  };
}
