/**
 * Plain reports: those of fetches that are not billed, each in an entry of its own, whose ids follow each other. Such a report says which use is the
 * first one, and that is all: its entries have no rows, and its uses stay as they were recorded and stand as their report does. As soon as more is
 * to be said of an entry than of the whole report, the report is spelled out: it gets the rows that every other report has.
 */
import { assertBug } from "../../../errors.ts";
import type { ReadTx, Tx } from "../operation.ts";
import { PLAIN_RANGE } from "./report-ranges.ts";
import { forgetPlain } from "./report-rows.ts";
import { enterPlainUses } from "./use-rows.ts";

/** SQL: the id of the entry that the use `u` is in the plain report `b`, with its license `l` and its purchase `p`. */
const ENTRY_OF_USE = "u.id - b.first_use_id + b.first_entry_id";
const PLAIN_USES = `usage_batch b CROSS JOIN use u ON u.id BETWEEN ${PLAIN_RANGE}
  CROSS JOIN license l ON l.id = u.license_id CROSS JOIN purchase p ON p.id = u.purchase_id`;

/** SQL: the entries of the plain report `@reportId`, in the columns of its reading (outbox.ts); none where it is not plain. */
export const SELECT_PLAIN_ENTRIES = `SELECT ${ENTRY_OF_USE}, p.url, u.times, l.license_type, l.cuid, u.unit_micros, u.currency
  FROM ${PLAIN_USES} WHERE b.id = @reportId`;

const INSERT_ENTRIES = `INSERT INTO usage_entry (id, batch_id, position, page_id, wire_url, license_type, license_cuid, times, unit_micros, currency)
  SELECT ${ENTRY_OF_USE}, b.id, u.id - b.first_use_id, u.page_id, p.url, l.license_type, l.cuid, u.times, u.unit_micros, u.currency
  FROM ${PLAIN_USES} WHERE b.id = ? ORDER BY u.id`;

/** Whether a report has no rows for its entries. */
export function isPlain(tx: ReadTx, reportId: number): boolean {
  return tx.has`SELECT 1 FROM usage_batch WHERE id = ${reportId} AND first_use_id IS NOT NULL`;
}

/** A plain report gets its rows: the entries under the ids that they have had, and its uses in them. Any other one stays as it is. */
export function spellOut(tx: Tx, reportId: number): void {
  if (!isPlain(tx, reportId)) {
    return;
  }
  const { changes } = tx.run(INSERT_ENTRIES, reportId);
  const moved = enterPlainUses(tx, reportId);
  assertBug(moved === changes, `usage report ${reportId} is spelled out in ${changes} entries with ${moved} uses`);
  forgetPlain(tx, reportId);
}
