import { assertBug } from "../../../errors.ts";
import { toMicros } from "../../../money/micros.ts";
import type { Answered, Asked, ReadTx, Tx } from "../operation.ts";
import type { EntryDraft, ReportPlace } from "./outbox.ts";
import { holdsFence, readReport, writeReport } from "./outbox.ts";
import { enterPendingUses, enterUse, isInNoPlainReport, passUses, USES_THROUGH } from "./use-rows.ts";

/** Uses in one report, however few entries they make: bounds the transaction. The rest goes into the next report. */
const MAX_USES_PER_BATCH = 20_000;

/** A tuple, as it costs half of what an object does. */
type PendingUse = readonly [
  id: number,
  pageId: number,
  url: string,
  times: number,
  licenseType: string,
  licenseCuid: string | null,
  unitMicros: number,
  currency: string,
  permissions: string,
  isPlain: number,
];

/** The oldest pending uses, as far as one report takes them. */
interface Gathered {
  readonly entries: readonly EntryDraft[];
  /** The uses of an entry but for its oldest. */
  readonly repeats: readonly Repeat[];
  /** Every pending use up to this one is in the report, none after it. */
  readonly lastUseId: number;
  /** They are fetches that are not billed, each in an entry of its own, and their ids follow each other. */
  readonly isPlain: boolean;
}

interface Repeat {
  readonly useId: number;
  /** The oldest use of its entry. */
  readonly sourceId: number;
}

/** Still to be added up. */
type GrowingEntry = EntryDraft & { timesUsed: number };

/**
 * Freezes the oldest unreported uses, added up per page, spelling, license (with what it permits) and expected price, into a new
 * report: its id, its bytes
 * and its members in one transaction (promise 5). The entries are in order of their oldest use, so the same uses always
 * give the same bytes. Idempotent by `idempotencyId`: a report of that id is returned as it is. null when nothing is
 * unreported or the fence is stale.
 */
export function freezeReport(
  tx: Tx,
  { fence, idempotencyId, maxEntries, licenseIdField, reportPermissions, now }: Asked<"freezeReport">,
): Answered<"freezeReport"> {
  assertBug(Number.isSafeInteger(maxEntries) && maxEntries > 0, `a batch of ${maxEntries} entries`);
  if (!holdsFence(tx, fence)) {
    return null;
  }
  const frozen = tx.value<number>`SELECT id FROM usage_batch WHERE idempotency_id = ${idempotencyId}`;
  if (frozen !== undefined) {
    return readReport(tx, frozen);
  }
  const gathered = gatherUses(tx, maxEntries);
  const { entries } = gathered;
  if (entries.length === 0) {
    return null;
  }
  return writeReport(tx, {
    idempotencyId,
    parentId: null,
    entries,
    form: { licenseIdField, reportPermissions },
    now,
    isPlain: gathered.isPlain,
    enter: (place) => (gathered.isPlain ? passOver(tx, gathered) : enterUses(tx, gathered, place)),
  });
}

// CROSS JOIN keeps the order of the tables: the outbox leads, oldest use first, and only as far as it is read.
const PENDING_USES = `use u CROSS JOIN license l ON l.id = u.license_id CROSS JOIN page p ON p.id = u.page_id LEFT JOIN purchase b ON b.id = u.purchase_id
  WHERE u.id > ${USES_THROUGH} AND u.state = 'pending' AND ${isInNoPlainReport("u.id")}`;

/** A use of what was bought is reported under the spelling that was bought; one without a purchase under the page's. */
const REPORTED_URL = "coalesce(b.url, p.wire_url, p.url)";

const SELECT_PENDING = `SELECT u.id, u.page_id, ${REPORTED_URL}, u.times, l.license_type, l.cuid, u.unit_micros, u.currency, l.permissions,
    u.kind = 'fetch' AND u.billed = 0
  FROM ${PENDING_USES} ORDER BY u.id LIMIT ?`;

function gatherUses(tx: ReadTx, maxEntries: number): Gathered {
  const entries: GrowingEntry[] = [];
  const repeats: Repeat[] = [];
  const byPage = new Map<number, GrowingEntry[]>();
  let lastUseId = 0;
  let fetches = 0;
  for (const use of tx.iterateTuples<PendingUse>(SELECT_PENDING, MAX_USES_PER_BATCH)) {
    const [id, pageId, , times, , , , , , isPlain] = use;
    const ofPage = byPage.get(pageId);
    const entry = ofPage?.find((one) => isSameEntry(one, use) && isCountable(one, times));
    if (entry !== undefined) {
      entry.timesUsed += times;
      repeats.push({ useId: id, sourceId: entry.sourceId });
    } else if (entries.length < maxEntries) {
      const added = toDraft(use);
      entries.push(added);
      if (ofPage === undefined) {
        byPage.set(pageId, [added]);
      } else {
        ofPage.push(added);
      }
    } else {
      break;
    }
    lastUseId = id;
    fetches += isPlain;
  }
  const firstUseId = entries[0]?.sourceId ?? 0;
  const isPlain = fetches === entries.length && repeats.length === 0 && firstUseId + entries.length - 1 === lastUseId;
  return { entries, repeats, lastUseId, isPlain };
}

/** Of the same page, already. */
function isSameEntry(
  entry: EntryDraft,
  [, , url, , licenseType, licenseCuid, unitMicros, currency, permissions]: PendingUse,
): boolean {
  return (
    entry.url === url &&
    entry.licenseType === licenseType &&
    entry.licenseCuid === licenseCuid &&
    entry.expectedUnitMicros === unitMicros &&
    entry.currency === currency &&
    entry.permissions === permissions
  );
}

/** What an entry comes to must stay exact with these uses too: else they make an entry of their own. */
function isCountable({ timesUsed, expectedUnitMicros }: EntryDraft, times: number): boolean {
  return Number.isSafeInteger((timesUsed + times) * expectedUnitMicros);
}

function toDraft([
  id,
  ,
  url,
  times,
  licenseType,
  licenseCuid,
  unitMicros,
  currency,
  permissions,
]: PendingUse): GrowingEntry {
  const expectedUnitMicros = toMicros(unitMicros);
  return { sourceId: id, url, timesUsed: times, licenseType, licenseCuid, expectedUnitMicros, currency, permissions };
}

/** Nothing is written of the uses of a plain report: they follow its first one. */
function passOver(tx: Tx, { entries, lastUseId }: Gathered): number {
  passUses(tx, lastUseId, entries.length);
  return entries.length;
}

const INSERT_ENTRIES = `INSERT INTO usage_entry (id, batch_id, position, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency)
  SELECT u.id + ?, ?, row_number() OVER (ORDER BY u.id) - 1, u.page_id, ${REPORTED_URL}, l.license_type, l.cuid,
         u.times, u.unit_micros, u.currency
  FROM ${PENDING_USES} AND u.id <= ? ORDER BY u.id`;

/**
 * Most entries have one use, so all that have not moved yet are handled at once: the repeats go into their entries first,
 * and then what is still pending up to the last use is just the oldest use of each entry, in the order of the entries.
 */
function enterUses(tx: Tx, { repeats, lastUseId }: Gathered, { reportId, entryShift }: ReportPlace): number {
  for (const { useId, sourceId } of repeats) {
    assertBug(enterUse(tx, useId, sourceId + entryShift), `use ${useId} is reported elsewhere already`);
  }
  const { changes } = tx.run(INSERT_ENTRIES, entryShift, reportId, lastUseId);
  const moved = enterPendingUses(tx, lastUseId, entryShift);
  assertBug(moved === changes, `usage report ${reportId} keeps ${changes} entries, ${moved} uses begin one`);
  if (repeats.length > 0) {
    tx.run`UPDATE usage_entry SET times = (SELECT sum(u.times) FROM use u WHERE u.entry_id = usage_entry.id)
      WHERE id BETWEEN (SELECT first_entry_id FROM usage_batch WHERE id = ${reportId}) AND (SELECT last_entry_id FROM usage_batch WHERE id = ${reportId})`;
  }
  return changes;
}
